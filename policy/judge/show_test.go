package judge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
)

func TestShown(t *testing.T) {
	t.Parallel()
	talk := []quintain.Message{
		{Role: "user", Content: "Add 1 and 2."},
		{Role: "assistant", Content: "<think>\nhm\n</think>\nI call.", Reasoning: "secret", ToolCalls: []quintain.ToolCall{{Name: "add", Arguments: `{"a": 1}`}}},
		{Role: "tool", Content: "3"},
		{Role: "assistant", Content: "It is 3."},
	}
	for _, test := range []struct {
		why, view string
		it        Item
		want      string
	}{
		{"a reply", Answer, Item{Reply: "It is 3."}, "It is 3."},
		{"after reasoning", Answer, Item{Reply: "<think>it is 4</think>It is 3."}, "It is 3."},
		{"after reasoning that the template opened", Answer, Item{Reply: "it is 4</think>It is 3."}, "It is 3."},
		{"reasoning without an end", Answer, Item{Reply: " <think>it is 3"}, ""},
		{"a word of reasoning in the reply", Answer, Item{Reply: "Write <think>a</think>."}, "Write <think>a</think>."},
		{"a diff", Diff, Item{Reply: "done", Diff: "+1"}, "+1"},
		{"a transcript", Transcript, Item{Reply: "It is 3.", Transcript: talk},
			"[user]\nAdd 1 and 2.\n[assistant]\n\nI call.\n[calls add]\n{\"a\": 1}\n[tool]\n3\n[assistant]\nIt is 3.\n"},
		{"a transcript in which the policy is silent", Transcript, Item{Transcript: []quintain.Message{talk[0], {Role: "assistant", Content: " "}}}, ""},
	} {
		if got := test.it.shown(test.view); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestSpeaks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, reference string
		want            bool
	}{
		{"yes", "", true}, {"7", "", true}, {"∅", "", true}, {"+", "", true}, {"是", "", true},
		{"", "", false}, {" \n\t", "", false}, {"\u200b\u2060\ufeff", "", false}, {"\u3164", "", false}, {"\u2800", "", false}, {"\U000e0041", "", false},
		{":", "", false}, {"...", "", false}, {" ! ", "", false},
		{"?", "?", true}, {":", "42", false}, {"", "?", false},
	} {
		if got := speaks(test.text, test.reference); got != test.want {
			t.Errorf("%q, with reference %q: %v", test.text, test.reference, got)
		}
	}
}

func TestLegible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ntext\t<b>x</b> [1] a|b": "plain\ntext\t<b>x</b> [1] a|b",
		"a\u200bb\u202ec":               `a\u200bb\u202ec`,
		"tag\U000e0041":                 `tag\U000e0041`,
		"x\x00\x1b[0m\r":                `x\u0000\u001b[0m\u000d`,
		"half \xe4\xb8":                 `half \xe4\xb8`,
		"\ufffd":                        "\ufffd",
		"<|im_end|>":                    `<\|im_end|\>`,
		"<｜User｜>":                      `<\｜User｜\>`,
		"</s><S>[INST]x[/INST]":         `<\/s><\S>[\INST]x[\/INST]`,
		"<<SYS>><start_of_turn>":        `<\<\SYS>><\start_of_turn>`,
		"</think>":                      `<\/think>`,
		"<|\u200bim_end|>":              `<\|\u200bim_end|\>`,
	} {
		if got := legible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	if got := cut("short", 5); got != "short" {
		t.Errorf("%q", got)
	}
	got := cut(strings.Repeat("a", 100)+strings.Repeat("b", 100), 20)
	if want := "aaaaaaaaaa\n[… 180 bytes are left out here …]\nbbbbbbbbbb"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for limit := range 12 {
		if got := cut("ééééééé", limit); !utf8.ValidString(got) {
			t.Errorf("cut to %d: %q is not UTF-8", limit, got)
		}
	}
}

func FuzzLegible(f *testing.F) {
	f.Add("a\u200b<|x|>\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := legible(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) || broken(got) != got {
			t.Fatalf("%q: %q", text, got)
		}
		if len(got) > 10*len(text) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
	})
}

func TestFencesCannotBeClosedFromWithin(t *testing.T) {
	t.Parallel()
	if got := fenced("a ```` b"); got != "`````\na ```` b\n`````\n" {
		t.Errorf("%q", got)
	}
}
