package answer_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/answer"
)

func TestTagged(t *testing.T) {
	for _, test := range []struct{ reply, want, why string }{
		{"<answer>5</answer>", "5", ""},
		{"<think>2+3</think>\n<answer> 5\n</answer> done", "5", ""},
		{"<ANSWER>a B</Answer>", "a B", ""},
		{"<answer></answer>", "", ""},
		{"5", "", "no <answer>"},
		{"<think><answer>5</answer></think>", "", "no <answer>"},
		{"<think><answer>4</answer></think><answer>5</answer>", "5", ""},
		{"<think>never closed <answer>5</answer>", "", "no <answer>"},
		{"opened by the template</think><answer>5</answer>", "5", ""},
		{"<answer>4</answer><answer>5</answer>", "", "more than one"},
		{"<answer>4<answer>5</answer>", "", "more than one"},
		{"<answer>4</answer>5</answer>", "", "more than one"},
		{"</answer>5<answer>", "", "before"},
		{"<answer>5", "", "no <answer>"},
		{"<answer>5</answer><think>", "5", ""},
		{"<answer>é\x00</answer>", "é\x00", ""},
		{"İ<answer>5</answer>", "5", ""},
	} {
		got, why := answer.Tagged(test.reply)
		if got != test.want || !strings.Contains(why, test.why) || (why == "") != (test.why == "") {
			t.Errorf("Tagged(%q) = %q, %q; want %q, %q", test.reply, got, why, test.want, test.why)
		}
	}
}

func TestBoxed(t *testing.T) {
	for _, test := range []struct {
		text, want string
		found      bool
	}{
		{`so \boxed{5}`, "5", true},
		{`\boxed{1} and \boxed{ \frac{1}{2} }`, `\frac{1}{2}`, true},
		{`\boxed{1`, "", false},
		{`boxed{1}`, "", false},
	} {
		if got, found := answer.Boxed(test.text); got != test.want || found != test.found {
			t.Errorf("Boxed(%q) = %q, %v", test.text, got, found)
		}
	}
}

func TestSameDecimal(t *testing.T) {
	for _, test := range []struct {
		a, b        string
		equal, both bool
	}{
		{"10", "1e1", true, true},
		{" +1_0.0\n", "10", true, true},
		{"-0", "0.00", true, true},
		{"٣", "3", true, true},
		{".5", "5e-1", true, true},
		{"1.", "1", true, true},
		{"1", "2", false, true},
		{"1e999999999", "1e999999998", false, true},
		{"1e99999999999999999999", "1", false, false},
		{"1e9999999999999999999", "0", false, false},
		{"nan", "nan", false, false},
		{"1.2.3", "1", false, false},
		{"", "", false, false},
		{"1 2", "12", false, false},
		{"e5", "1", false, false},
	} {
		if equal, both := answer.SameDecimal(test.a, test.b); equal != test.equal || both != test.both {
			t.Errorf("SameDecimal(%q, %q) = %v, %v", test.a, test.b, equal, both)
		}
	}
}

func FuzzFinal(f *testing.F) {
	f.Add("<think>a</think><answer>5</answer>")
	f.Add(strings.Repeat("<think>", 100) + strings.Repeat("</think>", 50) + `\boxed{1}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, why := answer.Tagged(text)
		if why != "" && got != "" || !strings.Contains(text, got) {
			t.Errorf("Tagged(%q) = %q, %q", text, got, why)
		}
		if content, found := answer.Boxed(text); found && !strings.Contains(text, content) {
			t.Errorf("Boxed(%q) = %q", text, content)
		}
		answer.SameDecimal(text, text)
	})
}

// A quadratic reader would run into the time limit of this test.
func TestManyTagsAreCheap(t *testing.T) {
	for _, tags := range []string{"<think></think>", "</think>", "<think>a</think></think>"} {
		text := strings.Repeat(tags, 2_000_000/len(tags)) + "<answer>5</answer>"
		if got, why := answer.Tagged(text); got != "5" {
			t.Errorf("%s: got %q, %q", tags, got, why)
		}
	}
}
