package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/run/player"
)

// Each of the 339 settings that there were is one, or the new one is named: as a flag, a key in a
// file with line and column, a key of --with, and a variable.
func TestNoSettingIsLost(t *testing.T) {
	text, err := os.ReadFile("testdata/former.tsv")
	if err != nil {
		t.Fatal(err)
	}
	config, judge, root := settings.New(defaults(player.Tiny)), judge.Defaults(), newRoot(&world{}, "")
	judges := settings.New(&judge)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(lines) != 339 {
		t.Fatalf("there are %d settings, want 339", len(lines))
	}
	for _, line := range lines {
		key, flag, _ := strings.Cut(line, " ")
		form, verb := config, "settings"
		if of, ok := strings.CutPrefix(key, "judge:"); ok {
			key, form, verb = of, judges, "judge check"
		}
		c, _, err := root.Find(strings.Fields(verb))
		if err != nil {
			t.Fatal(err)
		}
		_, err = form.Find(key)
		if now := flags.Former()[key]; (err == nil) == (now != "") {
			t.Errorf("%s: error %v, and it is now %q", key, err, now)
		} else if now != "" {
			refused(t, config, key, now)
			refusedFlag(t, c, "--with "+key, "--with="+key+"=x", by(key))
		}
		if flag != "" && c.Flags().Lookup(flag) == nil {
			refusedFlag(t, c, "--"+flag, "--"+flag+"=x", by(key))
		}
	}
}

// refused tries a former key. All of a scenario's name is a field of scenario still.
func refused(t *testing.T, form *settings.Form, key, now string) {
	t.Helper()
	now, _, _ = strings.Cut(now, "=")
	use, variable := "use "+now, "use "+settings.Prefix+strings.ToUpper(strings.ReplaceAll(now, ".", "_"))
	if settings.InWords(now) {
		use, variable = now, now
	}
	if key != "scenario.name" {
		steps, file, indent := strings.Split(key, "."), "", ""
		for _, step := range steps {
			file, indent = file+"\n"+indent+step+":", indent+"  "
		}
		at := []string{"", "1:1", "2:3", "3:5"}[len(steps)]
		want := "f.yaml:" + at + ": " + key + ": " + use
		if err := form.Load(settings.Sources{File: "f.yaml", Data: []byte(file[1:] + " x"), Former: flags.Former()}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	name := settings.Prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
	want := name + ": " + variable
	if err := form.Load(settings.Sources{Environ: []string{name + "=x"}, Former: flags.Former()}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// refusedFlag tries a former flag, or a former key by --with.
func refusedFlag(t *testing.T, c *cobra.Command, flag, argument, use string) {
	t.Helper()
	err := c.ParseFlags([]string{argument})
	if err != nil {
		err = c.FlagErrorFunc()(c, err)
	}
	if want := flag + ": " + use; err == nil || !isUsage(err) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// by returns how a refusal on the command line goes on: it names a flag, or says what to do.
func by(key string) string {
	if now := flags.Former()[key]; settings.InWords(now) {
		return now
	}
	return "use --"
}
