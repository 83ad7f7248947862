// Package flags gives a cobra command the flags of settings, and groups them by section in
// its help.
package flags

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings"
)

// A flagText is the flag of a setting. It keeps the given text until all sources are known.
// A list's flag may be given several times.
type flagText struct {
	setting *settings.Setting
	given   map[string]string // by path
}

// Set implements [pflag.Value].
func (f flagText) Set(text string) error {
	if before, given := f.given[f.setting.Path()]; given && f.setting.Type() == "list" {
		text = before + "," + text
	}
	f.given[f.setting.Path()] = text
	return nil
}

// String implements [pflag.Value].
func (f flagText) String() string {
	if text, given := f.given[f.setting.Path()]; given {
		return text
	}
	return f.setting.Default()
}

// Type implements [pflag.Value].
func (f flagText) Type() string { return f.setting.Type() }

// Add gives c the flags of settings, and returns the map of given texts by path, which
// parsing fills.
func Add(c *cobra.Command, all []*settings.Setting) (given map[string]string) {
	given = map[string]string{}
	c.Flags().SortFlags = false
	for _, s := range all {
		if s.FlagName() == "" {
			continue
		}
		flag := c.Flags().VarPF(flagText{s, given}, s.FlagName(), "", s.Help())
		if s.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		section, _, below := strings.Cut(s.Path(), ".")
		if !below {
			section = ""
		}
		flag.Annotations = map[string][]string{sectionNote: {section}}
	}
	return given
}

// sectionNote is the annotation that names the section of a flag.
const sectionNote = "section"
