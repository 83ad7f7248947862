package office

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// Lines that tasks are about.
const (
	worksFor = " works for "
	sitsIn   = " sits in room "
	topicIs  = "topic: "
	seeAlso  = "see: "
)

// fact follows the search to its end, and returns the persons on the way and the last one's room;
// empty: it leads nowhere.
func (f folders) fact(t tree) (way []string, room string) {
	follow := func(after string) string {
		next := ""
		for _, line := range t.find(after, ".") {
			rest, begins := strings.CutPrefix(line.text, after)
			switch {
			case !begins: // it is about someone whose name ends alike
			case next != "":
				return "" // there are two facts
			default:
				next = rest
			}
		}
		return next
	}
	way = []string{f.From}
	for range f.Steps {
		next := follow(way[len(way)-1] + worksFor)
		if next == "" {
			return way, ""
		}
		way = append(way, next)
	}
	room = follow(way[len(way)-1] + sitsIn)
	if n, err := strconv.Atoi(room); err != nil || n < 1 || n > 1e6 || strconv.Itoa(n) != room {
		return way, ""
	}
	return way, room
}

// topics returns the files to be sorted, with their topics.
func (f folders) topics(t tree) (all []found) {
	for _, line := range t.find(topicIs, f.From) {
		topic, begins := strings.CutPrefix(line.text, topicIs)
		if line.number == 1 && begins && path.Dir(line.path) == f.From {
			all = append(all, found{path: line.path, text: topic})
		}
	}
	return all
}

// refers returns the lines that refer to the file, of which each file has one or more.
func (f folders) refers(t tree) (all []found) {
	for _, line := range t.find(seeAlso+f.From, ".") {
		if line.text == seeAlso+f.From {
			all = append(all, line)
		}
	}
	return all
}

// copies returns the files that are to be removed.
func (f folders) copies(t tree) (all []string) {
	oldest := map[string]string{} // by text
	var files []string
	for p, e := range t {
		if strings.HasPrefix(p, f.From+"/") && !e.folder {
			files = append(files, p)
		}
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(path.Base(a)+" "+a, path.Base(b)+" "+b) })
	for _, p := range files {
		if _, has := oldest[t[p].text]; has {
			all = append(all, p)
		} else {
			oldest[t[p].text] = p
		}
	}
	return all
}

// count is the answer.
func (f folders) count(t tree) int {
	switch f.Kind {
	case findFact:
		_, room := f.fact(t)
		n, _ := strconv.Atoi(room)
		return n
	case sortFiles:
		return len(f.topics(t))
	case renameFile:
		return len(f.refers(t))
	}
	return len(f.copies(t))
}

// A treeSession makes calls of a plan.
type treeSession struct {
	tree
	plan   []quintain.ToolCall
	failed bool // a call was refused
}

// do makes a call.
func (s *treeSession) do(name string, args map[string]string) {
	s.plan = append(s.plan, toolbox.Call(name, args))
	var err error
	switch in := struct{ Path, Text string }{args["path"], args["text"]}; name {
	case "write":
		_, err = s.write(in)
	case "rm":
		_, err = s.rm(struct{ Path string }{in.Path})
	case "mkdir":
		_, err = s.mkdir(struct{ Path string }{in.Path})
	case "mv":
		_, err = s.mv(struct{ From, To string }{args["from"], args["to"]})
	}
	s.failed = s.failed || err != nil
}

// session makes all calls of the plan but the last.
func (f folders) session() *treeSession {
	s := &treeSession{tree: f.begin()}
	switch f.Kind {
	case findFact:
		way, _ := f.fact(s.tree)
		for _, name := range way[:len(way)-1] {
			s.do("grep", map[string]string{"text": name + worksFor, "path": "."})
		}
		s.do("grep", map[string]string{"text": way[len(way)-1] + sitsIn, "path": "."})
	case sortFiles:
		f.sort(s)
	case renameFile:
		f.rename(s)
	case removeCopies:
		remove := f.copies(s.tree)
		s.walk(f.From)
		for _, p := range remove {
			s.do("rm", map[string]string{"path": p})
		}
	}
	return s
}

// sort moves files into folders.
func (f folders) sort(s *treeSession) {
	s.do("grep", map[string]string{"text": topicIs, "path": f.From})
	made := map[string]bool{}
	mkdir := func(p string) {
		if !made[p] {
			made[p] = true
			s.do("mkdir", map[string]string{"path": p})
		}
	}
	for _, one := range f.topics(s.tree) {
		to := path.Join(f.To, one.text)
		mkdir(f.To)
		mkdir(to)
		s.do("mv", map[string]string{"from": one.path, "to": to})
	}
}

// rename renames a file, and corrects what refers to it.
func (f folders) rename(s *treeSession) {
	s.do("grep", map[string]string{"text": seeAlso + f.From, "path": "."})
	done := ""
	for _, line := range f.refers(s.tree) {
		if line.path == done {
			continue
		}
		done = line.path
		s.do("cat", map[string]string{"path": done})
		var b strings.Builder
		for line := range strings.Lines(s.tree[done].text) {
			if strings.TrimSuffix(line, "\n") == seeAlso+f.From {
				line = strings.Replace(line, f.From, f.To, 1)
			}
			b.WriteString(line)
		}
		s.do("write", map[string]string{"path": done, "text": b.String()})
	}
	s.do("mv", map[string]string{"from": f.From, "to": f.To})
}

// walk lists a folder and those within it, and reads all files.
func (s *treeSession) walk(folder string) {
	s.do("ls", map[string]string{"path": folder})
	for _, name := range s.within(folder) {
		if p := path.Join(folder, name); s.tree[p].folder {
			s.walk(p)
		} else {
			s.do("cat", map[string]string{"path": p})
		}
	}
}
