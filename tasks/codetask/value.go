package codetask

import (
	"fmt"
	"strconv"
	"strings"
)

// Values of arguments and results are of the types int64, bool, string, []int64, []string and
// [][]int64.

// An input is the arguments of one case.
type input []any

func (in input) num(i int) int64      { return in[i].(int64) }
func (in input) list(i int) []int64   { return in[i].([]int64) }
func (in input) text(i int) string    { return in[i].(string) }
func (in input) texts() []string      { return in[0].([]string) }
func (in input) rows(i int) [][]int64 { return in[i].([][]int64) }

// python writes a value as a literal of Python.
func python(v any) string {
	if v, ok := v.(bool); ok {
		return map[bool]string{true: "True", false: "False"}[v]
	}
	return literal(v)
}

// literal writes a value as a literal of JSON.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case input:
		return "[" + joined(v, ", ", literal) + "]"
	case []int64:
		return "[" + joined(v, ", ", decimal) + "]"
	case []string:
		return "[" + joined(v, ", ", literalOf[string]) + "]"
	case [][]int64:
		return "[" + joined(v, ", ", literalOf[[]int64]) + "]"
	default:
		return fmt.Sprint(v)
	}
}

func literalOf[T any](v T) string { return literal(v) }

// joined writes a list with a separator.
func joined[T any](list []T, sep string, write func(T) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = write(v)
	}
	return strings.Join(parts, sep)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// spaced writes numbers separated by spaces.
func spaced(list []int64) string { return joined(list, " ", decimal) }

// lines writes a value as a program reads it from its standard input.
func (f field) lines(v any) string {
	switch v := v.(type) {
	case []int64:
		return fmt.Sprintf("%d\n%s\n", len(v), spaced(v))
	case []string:
		return fmt.Sprintf("%d\n", len(v)) + ended(strings.Join(v, "\n"), len(v))
	case [][]int64:
		return fmt.Sprintf("%d\n", len(v)) + ended(joined(v, "\n", spaced), len(v))
	default:
		return fmt.Sprintln(v)
	}
}

// ended ends the last of n lines.
func ended(text string, n int) string {
	if n == 0 {
		return ""
	}
	return text + "\n"
}

// printed writes a result as a program prints it.
func (d *draft) printed(v any) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{true: d.yes, false: d.no}[v] + "\n"
	case []int64:
		if d.upright {
			return ended(joined(v, "\n", decimal), len(v))
		}
		return spaced(v) + "\n"
	case []string:
		return ended(strings.Join(v, "\n"), len(v))
	case [][]int64:
		return ended(joined(v, "\n", spaced), len(v))
	default:
		return fmt.Sprintln(v)
	}
}
