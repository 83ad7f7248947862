package toolcall

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestConversationsWithToolsInPlainText(t *testing.T) {
	t.Parallel()
	user := quintain.Message{Role: quintain.RoleUser, Content: "How warm is it?"}
	asks := quintain.Message{Role: quintain.RoleAssistant, Content: "I look.", ToolCalls: calls(now, call("f", "[1"))}
	results := []quintain.Message{{Role: quintain.RoleTool, Content: "noon", ToolCallID: "a"}, {Role: quintain.RoleTool, Content: "no", ToolCallID: "b"}}
	talk := append([]quintain.Message{user, asks}, results...)
	got := Plainly(json.RawMessage(`[{"name": "now"}]`), talk)
	if len(got) != 3 || !strings.Contains(got[0].Content, `[{"name": "now"}]`) || !strings.HasSuffix(got[0].Content, "\n\nHow warm is it?") {
		t.Fatalf("%+v", got)
	}
	if want := "I look.\n<call>{\"name\": \"now\", \"arguments\": {}}</call>\n<call>{\"name\": \"f\", \"arguments\": \"[1\"}</call>"; got[1].Content != want || got[1].ToolCalls != nil {
		t.Errorf("%q, want %q", got[1].Content, want)
	}
	if want := "<result>\nnoon\n</result>\n<result>\nno\n</result>"; got[2].Content != want || got[2].Role != quintain.RoleUser {
		t.Errorf("%q, want %q", got[2].Content, want)
	}
	if talk[1].ToolCalls == nil || talk[0].Content != user.Content {
		t.Error("the conversation was changed")
	}
	system := Plainly(json.RawMessage(`[]`), append([]quintain.Message{{Role: quintain.RoleSystem, Content: "Be brief."}}, talk...))
	if !strings.HasPrefix(system[0].Content, "Be brief.\n\n") || system[1].Content != user.Content {
		t.Errorf("%+v", system[:2])
	}
	if same := Plainly(nil, talk[:1]); !reflect.DeepEqual(same, talk[:1]) {
		t.Errorf("without tools it is %+v", same)
	}
}

func TestWhatAReplySaysBesideItsCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ form, text, says, reasoning string }{
		{"hermes", "<think>\nHm.\n</think>\n\nI look.\n<tool_call>{\"name\": \"now\"}</tool_call>", "<think>\nHm.\n</think>\n\nI look.", ""},
		{"hermes", "<think>\nHm.\n</think>\n\n<tool_call>{\"name\": \"now\"}</tool_call>", "<think>\nHm.\n</think>", ""},
		{"hermes", "I look.\n<tool_call>{\"name\": \"now\"}</tool_call>", "I look.", ""},
		{"hermes", `<tool_call>{"name": "now"}</tool_call>`, "", ""},
		{"gpt_oss", "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.now<|message|>{}", "", "Hm."},
	} {
		format, err := Named(test.form)
		if err != nil {
			t.Fatal(err)
		}
		if says, reasoning := format.Parse(test.text, Context{Tools: json.RawMessage(tools)}).Said(); says != test.says || reasoning != test.reasoning {
			t.Errorf("%q says %q with the thoughts %q, want %q and %q", test.text, says, reasoning, test.says, test.reasoning)
		}
	}
}
