package toolcall

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is shown of a growing reply is what the whole one begins with, only grows, and is all of
// the thoughts before any content.
func TestSureIsTheBeginning(t *testing.T) {
	for name, list := range readings {
		for _, c := range list {
			grows(t, name, c.text, c.thinking)
		}
	}
}

// FuzzSure: the same of any text.
func FuzzSure(f *testing.F) {
	for _, list := range readings {
		for _, c := range list {
			f.Add(c.text, c.thinking)
		}
	}
	f.Fuzz(func(t *testing.T, text string, thinking bool) {
		if len(text) > 1<<10 { // each of its beginnings is read
			text = text[:1<<10]
		}
		for _, name := range Formats() {
			grows(t, name, text, thinking)
		}
	})
}

// grows checks each beginning of a text.
func grows(t *testing.T, name, text string, thinking bool) {
	t.Helper()
	format, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []Context{{Thinking: thinking}, {Thinking: thinking, Tools: json.RawMessage(tools)}, {Thinking: thinking, Tools: json.RawMessage(tools), Cut: true}} {
		want := format.Parse(text, in)
		var thought, said string
		check := func(at int) {
			reasoning, content := format.Sure(text[:at], in)
			if !strings.HasPrefix(reasoning, thought) || !strings.HasPrefix(content, said) {
				t.Errorf("%s: after %q it shows %q and %q, before %q and %q", name, text[:at], reasoning, content, thought, said)
			}
			thought, said = reasoning, content
			if !strings.HasPrefix(want.Reasoning, thought) || !strings.HasPrefix(want.Content, said) || said != "" && thought != want.Reasoning {
				t.Errorf("%s: of %q it shows %q and %q, the whole has %q and %q", name, text[:at], thought, said, want.Reasoning, want.Content)
			}
		}
		for at := range text { // of each character
			check(at)
		}
		check(len(text))
	}
}

func TestWhatIsHeldBack(t *testing.T) {
	for _, test := range []struct {
		format, text       string
		thinking           bool
		reasoning, content string
	}{
		{"none", "Yes <", false, "", "Yes <"},
		{"none", " <thi", false, "", ""},
		{"none", " <thin air", false, "", " <thin air"},
		{"none", "<think>\nHm. </thi", false, "Hm. ", ""},
		{"none", "<think>\nHm.\n</think>\n\nYes.\n", false, "Hm.", "Yes."},
		{"none", "Hm.", true, "Hm.", ""},
		{"hermes", "I look. <tool", false, "", "I look. "},
		{"hermes", "I look.\n<tool_call>oops</tool_call> and more", false, "", "I look."},
		{"llama3_json", "I look. <|py", false, "", "I look. "},
		{"llama3_json", ` {"answer": 42`, false, "", ""},
		{"pythonic", "[1, 2]", false, "", ""},
		{"mistral", "[THINK]Hm.[/THINK]Yes[TOO", false, "Hm.", "Yes"},
		{"gpt_oss", "<|channel|>analysis<|message|>Hm.<|e", false, "Hm.", ""},
		{"gpt_oss", "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes", false, "Hm.", ""},
		{"gpt_oss", "Hm.", true, "Hm.", ""},
	} {
		format, _ := Named(test.format)
		reasoning, content := format.Sure(test.text, Context{Tools: json.RawMessage(tools), Thinking: test.thinking})
		if reasoning != test.reasoning || content != test.content {
			t.Errorf("%s: of %q it shows %q and %q", test.format, test.text, reasoning, content)
		}
	}
}
