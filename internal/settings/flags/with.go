package flags

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
)

// withFlag is the flag that sets a setting by its key.
const withFlag = "with"

// A with is the flag that sets settings of form by their keys.
type with struct {
	form  *settings.Form
	given map[string]settings.Given
}

// Set implements [pflag.Value].
func (w with) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return fmt.Errorf("is %q, want KEY=VALUE, such as run.grace=30s", text)
	}
	s, err := w.form.Find(key)
	was := Former()[key]
	if of, start, chooses := strings.Cut(was, "="); settings.InWords(was) {
		err = errors.New(was)
	} else if of != "" {
		if s, err = w.form.Find(of); err == nil {
			by := spelled(s)
			if chooses {
				by += " " + start + "…"
			}
			err = errors.New("use " + by)
		}
	}
	if err != nil {
		return &keyError{key, err}
	}
	keep(w.given, s, value, "--with "+key)
	return nil
}

// String implements [pflag.Value].
func (w with) String() string { return "" }

// Type implements [pflag.Value].
func (w with) Type() string { return "KEY=VALUE" }

// A keyError says that a key given by --with cannot be set.
type keyError struct {
	key string
	why error
}

// Error implements [error].
func (e *keyError) Error() string { return e.key + ": " + e.why.Error() }

// completeWith completes KEY=VALUE: a key and its equals sign, then the values of which there are
// few.
func completeWith(form *settings.Form, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if key, value, ok := strings.Cut(typed, "="); ok {
		s, err := form.Find(key)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		words := s.Complete(value)
		for i, word := range words {
			words[i] = key + "=" + word
		}
		if words == nil {
			return nil, cobra.ShellCompDirectiveDefault // perhaps a file
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []cobra.Completion
	for _, s := range form.Settings() {
		if strings.HasPrefix(s.Path(), typed) {
			keys = append(keys, cobra.CompletionWithDesc(s.Path()+"=", s.Help()))
		}
	}
	return keys, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// Complete completes the first argument of a verb, to one of the texts that words returns for what is
// typed.
func Complete(words func(typed string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// explainKey says what is wrong with a value of --with.
func explainKey(err error) error {
	if key, ok := errors.AsType[*keyError](err); ok {
		return fmt.Errorf("--with %s: %w", key.key, key.why)
	}
	return fmt.Errorf("--with %w", err)
}
