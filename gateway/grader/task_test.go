package grader

import "testing"

// An answer that an agent gives at its end is read as one between tags.
func TestTagged(t *testing.T) {
	for given, want := range map[string]string{"3": "<answer>3</answer>", "so <Answer>3</answer>": "so <Answer>3</answer>"} {
		if got := Tagged(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
