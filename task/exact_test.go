package task_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
)

func TestMatchWords(t *testing.T) {
	for _, test := range []struct {
		got, want string
		score     float64
		malformed bool
		why       string
	}{
		{"on, off", "on, off", 1, false, ""},
		{" On,\tOFF.\n", "on, off", 1, false, "case, space and a full stop are free"},
		{"on,off", "on, off", 0, false, "but not where there is none"},
		{"on", "on, off", 0, false, "a part"},
		{"on, off, on", "on, off", 0, false, "more"},
		{"either on, off", "on, off", 0, false, ""},
		{strings.Repeat(" ", 1000) + "on", "on", 0, false, "nobody writes that"},
		{"", "on", 0, true, "nothing"},
		{" \n", "on", 0, true, "nothing"},
		{"", "", 0, true, ""},
	} {
		v := task.MatchWords(test.got, test.want)
		if v.Score != test.score || v.Malformed != test.malformed || v.Score < 1 && v.Reason == "" {
			t.Errorf("%.50q for %q: %+v, want %v (%s)", test.got, test.want, v, test.score, test.why)
		}
	}
}

func TestMatchList(t *testing.T) {
	for _, test := range []struct {
		got   string
		score float64
		why   string
	}{
		{"Yes, No", 1, ""},
		{"yes,no.", 1, "case, space and a full stop are free"},
		{"Yes;\nNo", 1, "other separators"},
		{"Yes No", 1, ""},
		{"No, Yes", 0, "another order"},
		{"Yes, No, No", 0, "more"},
		{"Yes", 0, "less"},
		{"", 0, "nothing"},
		{strings.Repeat(",", 1000), 0, "nobody writes that"},
	} {
		if v := task.MatchList(test.got, "Yes, No"); v.Score != test.score || v.Score < 1 && v.Reason == "" {
			t.Errorf("%.50q: %+v, want %v (%s)", test.got, v, test.score, test.why)
		}
	}
}

func TestMatchWhole(t *testing.T) {
	for _, test := range []struct {
		got       string
		want      string
		score     float64
		malformed bool
		why       string
	}{
		{"7", "7", 1, false, ""},
		{" +07.\n", "7", 1, false, "another spelling"},
		{"-7", "7", 0, false, "another number"},
		{"17", "7", 0, false, "another number"},
		{"7.0", "7", 0, true, "not as a whole number is written"},
		{"7 or 8", "7", 0, true, "no choice"},
		{"seven", "7", 0, true, ""},
		{"", "7", 0, true, "nothing"},
		{"\n", "0", 0, true, "nothing"},
		{strings.Repeat("0", 1000) + "7", "7", 0, true, "nobody writes that"},
		{strings.Repeat(" ", 1000), "7", 0, true, ""},
	} {
		v := task.MatchWhole(test.got, test.want)
		if v.Score != test.score || v.Malformed != test.malformed || v.Score < 1 && v.Reason == "" {
			t.Errorf("%.50q for %s: %+v, want %v (%s)", test.got, test.want, v, test.score, test.why)
		}
	}
}

func TestAppendFilled(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"%a and %b", "a! and b!"}, {"none", "none"}, {"", ""}, {"%a%a", "a!a!"}, {"all of it: 100%", "all of it: 100"},
	} {
		if got := string(task.AppendFilled([]byte("> "), test.text, func(c byte) string { return string(rune(c)) + "!" })); got != "> "+test.want {
			t.Errorf("%q is filled as %q, want %q", test.text, got, test.want)
		}
	}
}
