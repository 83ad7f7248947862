package dialect_test

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
)

func Example() {
	d := dialect.Messages()
	q, refusal := d.Decode([]byte(`{"model":"policy","system":"Be brief.","messages":[{"role":"user","content":"6*7?"}]}`), dialect.StandardLimits())
	if refusal != nil {
		fmt.Println(refusal)
		return
	}
	for _, m := range q.Messages {
		fmt.Println(m.Role, m.Content)
	}
	r := dialect.Reply{
		Call: "b7", Model: "policy", Created: time.Unix(0, 0),
		Choices: []dialect.Choice{{Content: "42", Finish: quintain.Stop}}, Usage: dialect.Usage{Prompt: 9, Completed: 2},
	}
	fmt.Println(string(d.Encode(q, &r)))

	_, refusal = d.Decode([]byte(`{"messages":[{"role":"robot"}]}`), dialect.StandardLimits())
	status, body := d.ErrorBody(refusal)
	fmt.Println(status, string(body))
	// Output:
	// system Be brief.
	// user 6*7?
	// {"id":"msg_b7","type":"message","role":"assistant","model":"policy","content":[{"type":"text","text":"42"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}
	// 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages[0].role: want user or assistant","code":"invalid_value"}}
}
