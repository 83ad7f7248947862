package settings_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
)

// A pair has two settings that must not be equal.
type pair struct{ Low, High int }

func (p *pair) Declare(d *settings.Section) {
	d.Int(&p.Low, "low", "low").AtLeast(1)
	d.Int(&p.High, "high", "high").AtLeast(1)
}

func TestPreset(t *testing.T) {
	for _, test := range []struct {
		values map[string]string
		want   string // part of the error; empty: none
	}{
		{map[string]string{"low": "3", "high": "7"}, ""},
		{map[string]string{"lou": "3"}, "lou: there is no such setting"},
		{map[string]string{"low": "0"}, "low: is 0"},
		{map[string]string{"high": "x"}, "high: "},
	} {
		p := pair{1, 2}
		err := settings.New(&p).Preset(test.values)
		if test.want == "" && (err != nil || p != pair{3, 7}) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v: %+v, error %v, want %q", test.values, p, err, test.want)
		}
	}
}
