package environment

import (
	"strconv"
	"strings"
)

// Join returns the arguments of a command line with each flag of Flags as one argument,
// --KEY=VALUE. In Atropos the value is an argument of its own, and a flag without one is
// true. A value may begin with one dash if it is a number. Arguments after -- stay as they
// are.
func Join(args []string) []string {
	known := map[string]bool{}
	for _, s := range Flags() {
		known[s.FlagName()] = true
	}
	var joined []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		name, ok := strings.CutPrefix(arg, "--")
		if !ok || !known[name] {
			joined = append(joined, arg)
			continue
		}
		value := "True"
		if i+1 < len(args) && isValue(args[i+1]) {
			i++
			value = args[i]
		}
		joined = append(joined, arg+"="+value)
	}
	return joined
}

// isValue reports whether an argument is the value of the flag before it.
func isValue(arg string) bool {
	if !strings.HasPrefix(arg, "-") {
		return true
	}
	_, err := strconv.ParseFloat(arg, 64)
	return err == nil
}
