// Package flags is the command line of a program: it gives a cobra command the flags of settings, and
// --with for those that have none, writes manual pages, and opens the log.
package flags

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
)

// A flagText is the flag of a setting. It keeps the given text until all sources are known.
// A list's flag may be given several times.
type flagText struct {
	setting *settings.Setting
	given   map[string]settings.Given // by path
}

// Set implements [pflag.Value].
func (f flagText) Set(text string) error {
	keep(f.given, f.setting, text, "--"+f.setting.FlagName())
	return nil
}

// keep keeps the text of a setting. The last one given counts, and those of a list count all.
func keep(given map[string]settings.Given, s *settings.Setting, text, by string) {
	if before, ok := given[s.Path()]; ok {
		text = s.Join(before.Text, text)
	}
	given[s.Path()] = settings.Given{Text: text, By: by}
}

// String implements [pflag.Value].
func (f flagText) String() string {
	if given, ok := f.given[f.setting.Path()]; ok {
		return given.Text
	}
	return f.setting.Default()
}

// Type implements [pflag.Value].
func (f flagText) Type() string { return f.setting.Type() }

// Add gives c the flags of a form's settings and --with KEY=VALUE, which sets any of them, and
// returns the map of given texts by path, which parsing fills. Of a flag and --with for the same
// setting, the last one counts.
func Add(c *cobra.Command, form *settings.Form) (given map[string]settings.Given) {
	given = AddList(c, form.Settings())
	c.Flags().Var(with{form, given}, withFlag, "set any setting by its key, such as run.grace=30s; repeatable; quintain settings lists them")
	_ = c.RegisterFlagCompletionFunc(withFlag, func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeWith(form, typed)
	})
	return given
}

// AddList gives c the flags of settings, and returns the map of given texts by path.
func AddList(c *cobra.Command, all []*settings.Setting) (given map[string]settings.Given) {
	given = map[string]settings.Given{}
	c.Flags().SortFlags = false
	for _, s := range all {
		name := s.FlagName()
		if name == "" {
			continue
		}
		flag := c.Flags().VarPF(flagText{s, given}, name, "", s.Help())
		if s.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		if s.Completes() {
			_ = c.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return s.Complete(typed), cobra.ShellCompDirectiveNoFileComp
			})
		}
	}
	return given
}

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
