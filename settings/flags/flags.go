// Package flags gives a cobra command the flags of settings, and groups them by section in
// its help.
package flags

import (
	"cmp"
	"fmt"
	"slices"
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

// Group adds verbs to c under a title. The help lists groups and verbs in the order of the calls.
func Group(c *cobra.Command, title string, verbs ...*cobra.Command) {
	c.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, verb := range verbs {
		verb.GroupID = title
		if verb.Annotations == nil {
			verb.Annotations = map[string]string{}
		}
		verb.Annotations[placeNote] = fmt.Sprintf("%02d", len(c.Commands()))
		c.AddCommand(verb)
	}
}

// Groups calls show for each group of c's visible commands: first the titled ones, then the rest.
func Groups(c *cobra.Command, show func(title string, verbs []*cobra.Command)) {
	for _, group := range append(c.Groups(), &cobra.Group{}) {
		verbs := slices.DeleteFunc(slices.Clone(c.Commands()), func(v *cobra.Command) bool {
			return v.GroupID != group.ID || !v.IsAvailableCommand()
		})
		slices.SortStableFunc(verbs, func(a, b *cobra.Command) int {
			return cmp.Compare(a.Annotations[placeNote], b.Annotations[placeNote])
		})
		if len(verbs) > 0 {
			show(group.Title, verbs)
		}
	}
}

// placeNote is the annotation with the place of a verb in the help.
const placeNote = "place"
