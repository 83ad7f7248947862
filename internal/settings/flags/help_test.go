package flags_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
)

// A pump has a setting with a flag, and those of its well without.
type pump struct {
	data string
	well well
}

// Declare implements [settings.Declarer].
func (p *pump) Declare(d *settings.Section) {
	d.Text(&p.data, "data", "folder of the data").Flag("data")
	d.Section(&p.well, "well", "where the water is")
}

type well struct {
	urls  []string
	depth string
	dry   bool
}

// Declare implements [settings.Declarer].
func (w *well) Declare(d *settings.Section) {
	d.Texts(&w.urls, "urls", "servers of the well")
	d.Text(&w.depth, "depth", "how deep it is").OneOf("", "shallow", "deep")
	d.Bool(&w.dry, "dry", "there is no water")
}

// try runs a command with the settings of a pump.
func try(args ...string) (p *pump, said string, err error) {
	root := &cobra.Command{Use: "quintain", SilenceErrors: true, SilenceUsage: true}
	root.SetUsageFunc(flags.Usage)
	root.SetFlagErrorFunc(flags.Explain)
	p = &pump{}
	form := settings.New(p)
	c := &cobra.Command{Use: "try", Example: "  quintain try --data here"}
	given := flags.Add(c, form)
	c.RunE = func(*cobra.Command, []string) error { return form.Load(settings.Sources{Flags: given}) }
	root.AddCommand(c)
	var b strings.Builder
	root.SetOut(&b)
	root.SetErr(&b)
	root.SetArgs(args)
	err = root.Execute()
	return p, b.String(), err
}

func TestHelpHasFlagsAndWith(t *testing.T) {
	_, said, err := try("try", "--help")
	for _, want := range []string{"folder of the data", "--with KEY=VALUE", "quintain try --data here"} {
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s(error %v)", want, said, err)
		}
	}
	if strings.Contains(said, "depth") {
		t.Errorf("a setting without a flag is in:\n%s", said)
	}
}

// The last of a flag and --with counts; of a list, all.
func TestWith(t *testing.T) {
	p, _, err := try("try", "--data", "a", "--with", "data=b", "--with", "well.urls=x", "--with", "well.urls=y,z", "--with", "well.dry=true", "--with=well.depth=deep")
	if err != nil || p.data != "b" || strings.Join(p.well.urls, " ") != "x y z" || !p.well.dry || p.well.depth != "deep" {
		t.Errorf("read %+v, error %v", p, err)
	}
	if p, _, err = try("try", "--with", "data=b", "--data", "c"); err != nil || p.data != "c" {
		t.Errorf("read %+v, error %v", p, err)
	}
	for args, want := range map[string]string{
		"--with well.depht=deep":  `--with well.depht: there is no such setting; did you mean "well.depth"?`,
		"--with depth=deep":       `--with depth: there is no such setting; did you mean "well.depth"?`,
		"--with well.depth=wide":  `--with well.depth: is wide, want "", shallow or deep`,
		"--with well.dry=perhaps": `--with well.dry: is "perhaps", want true or false`,
		"--with well.dry":         `--with is "well.dry", want KEY=VALUE, such as run.grace=30s`,
		"--with gateway.idle=3":   `--with gateway.idle: there is no such setting`,
		"--depth deep":            "--depth: use --with well.depth=…",
		"--well-depth deep":       "--well-depth: use --with well.depth=…",
		"--dat x":                 "unknown flag: --dat; did you mean --data?",
	} {
		if _, _, err := try(append([]string{"try"}, strings.Fields(args)...)...); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}
}

// The shell completes keys, with what they mean, and values of which there are few.
func TestWithIsCompleted(t *testing.T) {
	for typed, want := range map[string]string{
		"we":           "well.urls=\tservers of the well\nwell.depth=\thow deep it is: \"\", shallow or deep\nwell.dry=\tthere is no water\n:6\n",
		"well.dry=t":   "well.dry=true\n:4\n",
		"well.depth=d": "well.depth=deep\n:4\n",
		"data=":        ":0\n",
		"wall.depth=":  ":4\n",
	} {
		if _, said, err := try("__complete", "try", "--with", typed); err != nil || !strings.HasPrefix(said, want) {
			t.Errorf("%s: %q, error %v, want %q", typed, said, err, want)
		}
	}
}
