package settings

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// YAML returns the current values as a file, with a comment on each setting.
func (f *Form) YAML() (string, error) {
	var b strings.Builder
	open := "" // path of the last line's section
	for _, s := range f.Settings() {
		cut := strings.LastIndexByte(s.path, '.')
		if at := s.path[:max(0, cut)]; at != open {
			f.openSections(&b, open, at)
			open = at
		}
		value, err := flow(s.value.Give())
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.path, err)
		}
		fmt.Fprintf(&b, "%s%s: %s # %s\n", indent(open), s.path[cut+1:], value, s.Doc())
	}
	return b.String(), nil
}

// openSections writes the keys of the sections on a path, except those already open.
func (f *Form) openSections(b *strings.Builder, open, path string) {
	parts := strings.Split(path, ".")
	for i := range parts {
		at := strings.Join(parts[:i+1], ".")
		if at == "" || within(open, at) {
			continue
		}
		if i == 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		if doc := f.heading(at); doc != "" {
			fmt.Fprintf(b, "%s# %s\n", strings.Repeat("  ", i), doc)
		}
		fmt.Fprintf(b, "%s%s:\n", strings.Repeat("  ", i), parts[i])
	}
}

// heading returns the declared heading of a section.
func (f *Form) heading(path string) string {
	for _, s := range f.sections {
		if s.path == path {
			return s.doc
		}
	}
	return ""
}

// indent returns the space before the settings of a section.
func indent(path string) string {
	if path == "" {
		return ""
	}
	return strings.Repeat("  ", strings.Count(path, ".")+1)
}

// flow writes a value as YAML on one line.
func flow(v any) (string, error) {
	text, err := yaml.MarshalWithOptions(v, yaml.Flow(true))
	return strings.TrimSpace(string(text)), err
}

// Markdown returns a table for each section. verbs returns the verbs that use a setting.
func (f *Form) Markdown(verbs func(path string) []string) string {
	var b strings.Builder
	open := "-"
	for _, s := range f.Settings() {
		at := s.path[:max(0, strings.LastIndexByte(s.path, '.'))]
		if at != open {
			open = at
			f.markdownHead(&b, at)
		}
		flag := ""
		if s.flag != "" {
			flag = "`--" + s.flag + "`"
		}
		was := ""
		if s.was != "" {
			was = "`" + cell(s.was) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s |\n", s.path, flag, s.Variable(), was, cell(s.Doc()), strings.Join(verbs(s.path), ", "))
	}
	return b.String()
}

// markdownHead begins the table of a section.
func (f *Form) markdownHead(b *strings.Builder, path string) {
	if path != "" {
		fmt.Fprintf(b, "\n## `%s`\n", path)
	}
	if doc := f.heading(path); doc != "" {
		fmt.Fprintf(b, "\n%s.\n", strings.ToUpper(doc[:1])+doc[1:])
	}
	b.WriteString("\n| key | flag | variable | default | meaning | verbs |\n|---|---|---|---|---|---|\n")
}

// cell escapes a text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
