package openenv

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func FuzzMessages(f *testing.F) {
	f.Add(`{"type":"reset","data":{"dataset_name":"chain_sum","size":3,"seed":1}}`, `{"type":"step","data":{"answer":"1"}}`)
	f.Add(`{"type":"reset","data":{"task_name":"composite","task_specs":[{"name":"chain_sum"}]}}`, `{"type":"step","data":{"type":"call_tool","tool_name":"submit_answer","arguments":{"answer":"1"}}}`)
	f.Add(`{"type":"reset","data":{"scenario":"math_multi_turn","level":1,"index":4}}`, `{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}`)
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		f.Fatal(err)
	}
	server := &server{book: book}
	f.Fuzz(func(t *testing.T, one, two string) {
		s := server.session()
		defer s.close()
		for _, text := range []string{one, two, two} {
			m, err := parse([]byte(text))
			var answer reply
			if err == nil {
				answer, err = s.play(t.Context(), m)
			}
			var refused *wire.OpenEnvRefusal
			if err != nil && !errors.As(err, &refused) {
				t.Fatalf("%q: error %v is not a refusal", text, err)
			}
			if text := encode(answer); err == nil && !json.Valid(text) {
				t.Fatalf("%q is answered %s", text, text)
			}
			if s.score < 0 || s.score > 1 {
				t.Fatalf("%q: the score is %v", text, s.score)
			}
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("<\u2028>&\\u003c\\\\u003c\"\x00\x7f\xff")
	f.Fuzz(func(t *testing.T, text string) {
		var got, want string
		marshalled, err := json.Marshal(text)
		if err != nil || json.Unmarshal(marshalled, &want) != nil {
			t.Fatal(err)
		}
		if out := plain(marshalled); json.Unmarshal(out, &got) != nil || got != want {
			t.Errorf("%q is written as %s", text, out)
		}
	})
}
