package flags_test

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain/internal/settings/flags"
)

func TestSeveralKeepsAllTexts(t *testing.T) {
	for _, test := range []struct{ args, want []string }{
		{nil, []string{"here"}},
		{[]string{"--data", "a"}, []string{"a"}},
		{[]string{"--data", "a", "--data=b,c"}, []string{"a", "b,c"}},
	} {
		f := pflag.NewFlagSet("test", pflag.ContinueOnError)
		first := f.String("data", "here", "")
		all := flags.Several(f, "data")
		if err := f.Parse(test.args); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(all(), test.want) || *first != test.want[0] {
			t.Errorf("%v: %v, and the flag is %q", test.args, all(), *first)
		}
	}
}
