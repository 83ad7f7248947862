package settings

import (
	"fmt"
	"io"
	"strings"

	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Search returns the settings with a word in their key or meaning, in the order of their
// declarations; an empty word is in all. Without any the error suggests keys.
func (f *Form) Search(word string) (found []*Setting, err error) {
	word = strings.ToLower(strings.TrimLeft(word, "-"))
	keyed := strings.ReplaceAll(word, "-", "_")
	var names []string
	for _, s := range f.Settings() {
		if strings.Contains(s.path, keyed) || strings.Contains(strings.ToLower(s.Doc()), word) {
			found = append(found, s)
		}
		names = append(names, s.path, s.path[strings.LastIndexByte(s.path, '.')+1:])
	}
	if found == nil {
		return nil, fmt.Errorf("no setting has %q in its key or its meaning%s", word, nearest.Suggest(keyed, names))
	}
	return found, nil
}

// List writes settings for people: key, flag, default and meaning, by section.
func (f *Form) List(w io.Writer, list []*Setting) error {
	var b strings.Builder
	open := "-"
	for i, s := range list {
		if at := s.path[:max(0, strings.LastIndexByte(s.path, '.'))]; at != open {
			open = at
			if i > 0 {
				b.WriteByte('\n')
			}
			if doc := f.heading(at); doc != "" {
				fmt.Fprintf(&b, "# %s\n", doc)
			}
		}
		fmt.Fprintf(&b, "%-34s", s.path+"="+s.was)
		if s.flag != "" {
			fmt.Fprintf(&b, " (--%s)", s.flag)
		}
		fmt.Fprintf(&b, "\n    %s\n", s.Doc())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A Row is a setting as JSON.
type Row struct {
	Key      string `json:"key"`
	Flag     string `json:"flag,omitempty"`
	Variable string `json:"variable"`
	Type     string `json:"type"`
	Default  string `json:"default"`
	Meaning  string `json:"meaning"`
}

// WriteJSON writes settings as a list of [Row].
func WriteJSON(w io.Writer, list []*Setting) error {
	rows := make([]Row, len(list))
	for i, s := range list {
		rows[i] = Row{s.path, s.flag, s.Variable(), s.Type(), s.was, s.Doc()}
	}
	return strictjson.WriteIndented(w, rows)
}
