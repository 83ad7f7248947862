package engines

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// FuzzSGLangReply checks that any answer gives either an output that keeps its promises, or an
// error, and never a version newer than before the request.
func FuzzSGLangReply(f *testing.F) {
	f.Add(`{"output_ids":[5],"meta_info":{"id":"r","prompt_tokens":2,"completion_tokens":1,"weight_version":"9","finish_reason":{"type":"stop"},"output_token_logprobs":[[-0.5,5,null]]}}`)
	f.Add(`{"meta_info":{"id":"r","completion_tokens":1,"weight_version":3,"finish_reason":{"type":"abort"},"output_token_logprobs":[[-0.5,5]]}}`)
	f.Add(`{"meta_info":{"id":"r","finish_reason":{"type":"abort","message":"bye"},"output_token_logprobs":[],"input_token_logprobs":[[null,1],[-1,2]],"input_top_logprobs":[null,[[-1,2]]]}}`)
	f.Add(`{"meta_info":{"output_token_logprobs":[[null],[],[1,2,3]]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		q := sglangQuery{prompt: policy.Prompt{Tokens: []quintain.Token{1, 2}, N: 1, Sampling: quintain.Sampling{MaxTokens: 3}}, request: sglangRequest{ID: "r"}, version: 7, believes: func(int32) bool { return true }}
		if q.read([]byte(text)) != nil {
			return
		}
		o := q.output
		if err := policy.CheckOutput(q.prompt, o); err != nil || len(o.Tokens) == 0 || len(o.Versions) != len(o.Tokens) || o.Versions[0] > 7 {
			t.Errorf("output %v: %v", o, err)
		}
	})
}
