package flags_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
)

// A pump has a setting without a section, and those of its well.
type pump struct {
	data string
	well well
}

// Declare implements [settings.Declarer].
func (p *pump) Declare(d *settings.Section) {
	d.Text(&p.data, "data", "folder of the data")
	d.Prefixed(&p.well, "well", "where the water is")
}

type well struct {
	url  string
	deep bool
}

// Declare implements [settings.Declarer].
func (w *well) Declare(d *settings.Section) {
	d.Text(&w.url, "url", "server of the well")
	d.Bool(&w.deep, "deep", "dig until there is water")
}

func TestHelpExplainsWhatIsAskedFor(t *testing.T) {
	const short, url, deep = "folder of the data", "server of the well", "dig until there is water"
	for _, c := range []struct {
		why           string
		others        int // flags of no setting
		args          string
		want, wantNot []string
	}{
		{"a command with few flags explains them all", 0, "--help", []string{short, url, deep}, []string{"--help all"}},
		{"one with many explains those without a section and those of the examples", 80, "--help",
			[]string{short, url, "\n  well        --well-deep\n", "quintain try --help all explains all"}, []string{deep, "Flags of well"}},
		{"those of a section", 80, "--help well", []string{"Flags of well:", url, deep}, []string{short, "--help all"}},
		{"all", 80, "--help all", []string{short, "Flags of well:", url, deep, "flag 79"}, []string{"--help all"}},
		{"a word that is no section", 80, "--help shop", []string{short, url, "--help all"}, []string{deep}},
	} {
		t.Run(c.why, func(t *testing.T) {
			root := &cobra.Command{Use: "quintain"}
			root.SetUsageFunc(flags.Usage)
			try := &cobra.Command{Use: "try", Example: "  quintain try --well-url nats://127.0.0.1", Run: func(*cobra.Command, []string) {}}
			flags.Add(try, settings.New(&pump{}).Settings())
			for i := range c.others {
				try.Flags().Bool(fmt.Sprint("flag-", i), false, fmt.Sprint("flag ", i))
			}
			root.AddCommand(try)
			var said strings.Builder
			root.SetOut(&said)
			root.SetArgs(strings.Fields("try " + c.args))
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(said.String(), want) {
					t.Errorf("%q is not in:\n%s", want, said.String())
				}
			}
			for _, not := range c.wantNot {
				if strings.Contains(said.String(), not) {
					t.Errorf("%q is in:\n%s", not, said.String())
				}
			}
		})
	}
}
