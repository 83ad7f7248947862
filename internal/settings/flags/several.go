package flags

import "github.com/spf13/pflag"

// Several lets the flag called name be given several times. The flag keeps the first text; the
// result returns all, or else the default.
func Several(of *pflag.FlagSet, name string) func() []string {
	flag := of.Lookup(name)
	s := several{flag.Value, &[]string{}}
	flag.Value = s
	return func() []string {
		if len(*s.given) == 0 {
			return []string{flag.Value.String()}
		}
		return *s.given
	}
}

// A several is a flag that may be given several times.
type several struct {
	pflag.Value
	given *[]string
}

// Set implements [pflag.Value].
func (s several) Set(text string) error {
	*s.given = append(*s.given, text)
	if len(*s.given) > 1 {
		return nil
	}
	return s.Value.Set(text)
}
