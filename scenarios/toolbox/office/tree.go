package office

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// Limits of a tree.
const (
	maxText    = 1200 // bytes of a file
	maxName    = 60   // bytes of a name
	maxLevels  = 10   // names of a path
	maxEntries = 300
	maxShown   = 1400 // bytes of a result
)

// A tree holds text files in folders, by path; "." is the folder of all. It behaves as the programs of
// Unix of the same names.
type tree map[string]entry

// An entry is a file or a folder.
type entry struct {
	folder bool
	text   string
}

// clean returns a path in its shortest form.
func clean(argument, text string) (string, error) {
	var names []string
	for name := range strings.SplitSeq(text, "/") {
		switch {
		case name == "" || name == ".":
		case name == "..":
			return "", scenario.Refusef("argument %s: .. is not allowed", argument)
		case len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
			return "", scenario.Refusef("argument %s: the name %.20q is too long, or has control characters", argument, name)
		default:
			names = append(names, name)
		}
	}
	if len(names) > maxLevels {
		return "", scenario.Refusef("argument %s: has %d names, at most %d are allowed", argument, len(names), maxLevels)
	}
	return path.Join(".", strings.Join(names, "/")), nil
}

// at returns what is at a path.
func (t tree) at(p string) (entry, bool) {
	if p == "." {
		return entry{folder: true}, true
	}
	e, has := t[p]
	return e, has
}

// existing returns an argument's path and what is there.
func (t tree) existing(argument, text string) (p string, e entry, err error) {
	if p, err = clean(argument, text); err != nil {
		return p, e, err
	}
	e, has := t.at(p)
	if !has {
		return p, e, scenario.Refusef("argument %s: there is no %.80q", argument, text)
	}
	return p, e, nil
}

// file returns the path and the text of a file.
func (t tree) file(argument, text string) (string, string, error) {
	p, e, err := t.existing(argument, text)
	if err == nil && e.folder {
		err = scenario.Refusef("argument %s: %.80q is a folder", argument, text)
	}
	return p, e.text, err
}

// room refuses a path in which nothing new can be.
func (t tree) room(argument, p string) error {
	if e, has := t.at(path.Dir(p)); !has || !e.folder {
		return scenario.Refusef("argument %s: there is no folder %.80q", argument, path.Dir(p))
	}
	if _, has := t[p]; !has && len(t) >= maxEntries {
		return scenario.Refusef("argument %s: there are %d files and folders, which is the limit", argument, len(t))
	}
	return nil
}

// ls lists a folder.
func (t tree) ls(in struct{ Path string }) (string, error) {
	p, e, err := t.existing("path", in.Path)
	if err != nil || !e.folder {
		return p, err
	}
	names := t.within(p)
	if len(names) == 0 {
		return "The folder is empty.", nil
	}
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = name
		if t[path.Join(p, name)].folder {
			lines[i] += "/"
		}
	}
	return shown(lines), nil
}

// within returns the names in a folder.
func (t tree) within(p string) (names []string) {
	for other := range t {
		if path.Dir(other) == p {
			names = append(names, path.Base(other))
		}
	}
	slices.Sort(names)
	return names
}

// shown joins lines, as many as a result may have.
func shown(lines []string) string {
	size := 0
	for i, line := range lines {
		if size += len(line) + 1; size > maxShown {
			return strings.Join(lines[:i], "\n") + fmt.Sprintf("\n(%d more lines)", len(lines)-i)
		}
	}
	return strings.Join(lines, "\n")
}

// cat reads a file.
func (t tree) cat(in struct{ Path string }) (string, error) {
	_, text, err := t.file("path", in.Path)
	return text, err
}

// write writes a file.
func (t tree) write(in struct{ Path, Text string }) (string, error) {
	p, err := clean("path", in.Path)
	switch e, _ := t.at(p); {
	case err != nil:
		return "", err
	case e.folder:
		return "", scenario.Refusef("argument path: %.80q is a folder", in.Path)
	case len(in.Text) > maxText || strings.ContainsFunc(in.Text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }):
		return "", scenario.Refusef("argument text: has %d bytes, at most %d are allowed, and no control characters", len(in.Text), maxText)
	}
	if err := t.room("path", p); err != nil {
		return "", err
	}
	t[p] = entry{text: in.Text}
	return "Written.", nil
}

// destination returns where a file or folder goes: into a folder that exists, or to a new name.
func (t tree) destination(from string, folder bool, text string) (string, error) {
	to, err := clean("to", text)
	if err != nil {
		return "", err
	}
	if e, _ := t.at(to); e.folder {
		to = path.Join(to, path.Base(from))
	}
	e, has := t.at(to)
	switch {
	case to == from:
		return "", scenario.Refusef("argument to: %.80q is the same as from", text)
	case folder && strings.HasPrefix(to, from+"/"):
		return "", scenario.Refusef("argument to: %.80q is within from", text)
	case has && e.folder && !folder:
		return "", scenario.Refusef("argument to: %.80q is a folder, which a file cannot replace", to)
	case has && !e.folder && folder:
		return "", scenario.Refusef("argument to: %.80q is a file, which a folder cannot replace", to)
	case has && e.folder && len(t.within(to)) > 0:
		return "", scenario.Refusef("argument to: the folder %.80q is not empty", to)
	}
	return to, t.room("to", to)
}

// mv moves or renames.
func (t tree) mv(in struct{ From, To string }) (string, error) {
	from, e, err := t.existing("from", in.From)
	if err != nil {
		return "", err
	}
	if from == "." {
		return "", scenario.Refusef("argument from: the folder of all cannot be moved")
	}
	to, err := t.destination(from, e.folder, in.To)
	if err != nil {
		return "", err
	}
	for p, moved := range maps.Clone(t) {
		if p == from || strings.HasPrefix(p, from+"/") {
			delete(t, p)
			t[to+strings.TrimPrefix(p, from)] = moved
		}
	}
	return "Moved.", nil
}

// cp copies a file.
func (t tree) cp(in struct{ From, To string }) (string, error) {
	from, text, err := t.file("from", in.From)
	if err != nil {
		return "", err
	}
	to, err := t.destination(from, false, in.To)
	if err != nil {
		return "", err
	}
	t[to] = entry{text: text}
	return "Copied.", nil
}

// rm removes a file, or a folder with all in it.
func (t tree) rm(in struct{ Path string }) (string, error) {
	p, _, err := t.existing("path", in.Path)
	if err != nil {
		return "", err
	}
	if p == "." {
		return "", scenario.Refusef("argument path: the folder of all cannot be removed")
	}
	maps.DeleteFunc(t, func(other string, _ entry) bool { return other == p || strings.HasPrefix(other, p+"/") })
	return "Removed.", nil
}

// mkdir makes a folder.
func (t tree) mkdir(in struct{ Path string }) (string, error) {
	p, err := clean("path", in.Path)
	if err != nil {
		return "", err
	}
	if _, has := t.at(p); has {
		return "", scenario.Refusef("argument path: there is a %.80q already", in.Path)
	}
	if err := t.room("path", p); err != nil {
		return "", err
	}
	t[p] = entry{folder: true}
	return "Made.", nil
}

// grep finds the lines that contain a text, in a file or in all files below a folder.
func (t tree) grep(in struct{ Text, Path string }) (string, error) {
	p, _, err := t.existing("path", in.Path)
	if err != nil {
		return "", err
	}
	if in.Text == "" || strings.Contains(in.Text, "\n") {
		return "", scenario.Refusef("argument text: is empty or has several lines")
	}
	lines := t.find(in.Text, p)
	if len(lines) == 0 {
		return "No line has it.", nil
	}
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = fmt.Sprintf("%s:%d:%s", line.path, line.number, line.text)
	}
	return shown(texts), nil
}

// A found is a line of a file.
type found struct {
	path   string
	number int // from 1
	text   string
}

// find returns the lines that contain a text, below a path.
func (t tree) find(text, below string) (lines []found) {
	for _, p := range slices.Sorted(maps.Keys(t)) {
		if below != "." && p != below && !strings.HasPrefix(p, below+"/") || t[p].folder {
			continue
		}
		number := 0
		for line := range strings.Lines(t[p].text) {
			number++
			if line = strings.TrimSuffix(line, "\n"); strings.Contains(line, text) {
				lines = append(lines, found{p, number, line})
			}
		}
	}
	return lines
}

// wc counts.
func (t tree) wc(in struct{ Path string }) (string, error) {
	_, text, err := t.file("path", in.Path)
	if err != nil {
		return "", err
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' })
	return fmt.Sprintf("%d lines, %d words, %d bytes", strings.Count(text, "\n"), len(words), len(text)), nil
}

// kit returns the tools.
func (t tree) kit() scenario.Kit {
	text := func(name, doc string) scenario.Param {
		return scenario.Param{Name: name, Type: scenario.Text(), Doc: doc}
	}
	p := text("path", "")
	return scenario.Kit{
		toolbox.Tool("ls", "List a folder; the names of folders end with /.", []scenario.Param{text("path", ". is the folder of all")}, t.ls),
		toolbox.Tool("cat", "Read a file.", []scenario.Param{p}, t.cat),
		toolbox.Tool("write", "Write a file, new or in place of one that is there. Its folder must exist.", []scenario.Param{p, text("text", "all that the file shall hold")}, t.write),
		toolbox.Tool("mv", "Move a file or a folder, into a folder that exists or to a new name.", []scenario.Param{text("from", ""), text("to", "")}, t.mv),
		toolbox.Tool("cp", "Copy a file, into a folder that exists or to a new name.", []scenario.Param{text("from", ""), text("to", "")}, t.cp),
		toolbox.Tool("rm", "Remove a file, or a folder with all in it.", []scenario.Param{p}, t.rm),
		toolbox.Tool("mkdir", "Make a folder.", []scenario.Param{p}, t.mkdir),
		toolbox.Tool("grep", "Find the lines that contain a text, in a file or in all files below a folder. Each is shown as path:number:line.",
			[]scenario.Param{text("text", "it is searched as it stands"), p}, t.grep),
		toolbox.Tool("wc", "Count the lines, words and bytes of a file.", []scenario.Param{p}, t.wc),
	}
}

// state returns the whole tree; folders end with /.
func (t tree) state() toolbox.State {
	s := toolbox.State{}
	for p, e := range t {
		if e.folder {
			p += "/"
		}
		s[p] = e.text
	}
	return s
}
