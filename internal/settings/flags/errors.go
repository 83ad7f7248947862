package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain/internal/nearest"
)

// Explain rewrites an error about the flags of c for people: it suggests the flag that was
// meant, and names the wanted kind of value. It is for [cobra.Command.SetFlagErrorFunc].
func Explain(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if unknown.GetSpecifiedShortnames() != "" {
			return err
		}
		if use := former(c, unknown.GetSpecifiedName()); use != "" {
			return fmt.Errorf("--%s: %s", unknown.GetSpecifiedName(), use)
		}
		if name := unknown.GetSpecifiedName(); name == "data" && strings.Contains(c.Use, " ") {
			return fmt.Errorf("unknown flag: --data; name the folder as an argument: %s", c.UseLine())
		}
		return fmt.Errorf("unknown flag: --%s%s", unknown.GetSpecifiedName(), meant(c, unknown.GetSpecifiedName()))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if invalid.GetFlag().Name == withFlag {
			return explainKey(invalid.Unwrap())
		}
		return fmt.Errorf("--%s: is %q, want %s", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid.GetFlag(), invalid.Unwrap()))
	}
	return err
}

// meant suggests the flag of c that a mistyped name stands for: with hyphens for
// underscores, as the end or the initials of a longer name, or as the nearest.
func meant(c *cobra.Command, typed string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	typed = strings.ReplaceAll(typed, "_", "-")
	name, found := nearest.Name(typed, names)
	for _, full := range names {
		if full == typed || !found && (strings.HasSuffix(full, "-"+typed) || strings.HasSuffix(initials(full), typed)) {
			name, found = full, true
		}
	}
	if !found {
		return ""
	}
	return "; did you mean --" + name + "?"
}

// MeantCommand suggests the command below c that a mistyped name stands for.
func MeantCommand(c *cobra.Command, typed string) string {
	var names []string
	for _, verb := range c.Commands() {
		if slices.Contains(verb.SuggestFor, typed) {
			return fmt.Sprintf("; did you mean %q?", verb.Name())
		}
		if verb.IsAvailableCommand() {
			names = append(names, verb.Name())
		}
	}
	return nearest.Suggest(typed, names)
}

// initials returns the first letters of the words of a name: "learning-rate" gives "lr".
func initials(name string) string {
	var letters strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		letters.WriteString(word[:min(1, len(word))])
	}
	return letters.String()
}

// wanted names the values of a flag that refused one.
func wanted(f *pflag.Flag, why error) string {
	switch kind := f.Value.Type(); kind {
	case "int", "int32", "int64":
		if errors.Is(why, strconv.ErrRange) {
			return "a smaller number"
		}
		return "a whole number"
	case "uint", "uint32", "uint64":
		return "a whole number, 0 or more"
	case "float32", "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s or 5m"
	default:
		return fmt.Sprintf("a value of the kind %s (%v)", kind, why)
	}
}
