package office

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// fileTree has small text files in folders.
var fileTree = toolbox.Spec[treeParams, folders]{
	Name: "file_tree",
	Doc: "Work on a tree of small text files with ls, cat, write, mv, cp, rm, mkdir, grep and wc: find a fact spread over files, sort files into folders, rename a file with all that refers to it, " +
		"remove copies. The whole tree is compared.",
	Source:  "Our own; the tools behave as the programs of Unix of the same names.",
	Version: 1,
	Levels: []treeParams{
		{Kinds: []string{findFact}, Files: 10, Depth: 1, Items: 1},
		{Kinds: []string{findFact, sortFiles, renameFile}, Files: 20, Depth: 2, Items: 2},
		{Kinds: []string{findFact, sortFiles, renameFile, removeCopies}, Files: 30, Depth: 2, Items: 4},
		{Kinds: []string{findFact, sortFiles, renameFile, removeCopies}, Files: 50, Depth: 3, Items: 6, Blanks: true},
		{Kinds: []string{findFact, sortFiles, renameFile, removeCopies}, Files: 80, Depth: 4, Items: 8, Blanks: true},
	},
	Make: makeFolders,
}

// The kinds of tasks.
const (
	findFact     = "find"   // spread over files
	sortFiles    = "sort"   // into folders by their first lines
	renameFile   = "rename" // with all lines that refer to it
	removeCopies = "copies" // but not the oldest
)

// treeParams are the parameters of a level.
type treeParams struct {
	Kinds  []string `json:"kinds" want:"1 or more" oneof:"find sort rename copies"`
	Files  int      `json:"files"`
	Depth  int      `json:"depth" want:"1 to 5"` // most folders above a file
	Items  int      `json:"items" want:"1 to 8"` // steps of a search, files to sort, references, or files to compare, more or less
	Blanks bool     `json:"blanks"`
}

// Check refuses what no tag does.
func (p treeParams) Check() error {
	if p.Files < 3*p.Items+6 || p.Files > 100 {
		return fmt.Errorf("files is %d, want %d to 100", p.Files, 3*p.Items+6)
	}
	return nil
}

// A folders is a tree with a task.
type folders struct {
	Kind  string     `json:"kind"`
	Files []textFile `json:"files"` // their folders are there too
	From  string     `json:"from"`  // a name, a file or a folder, where the task begins
	To    string     `json:"to"`    // the folder or the name that is wanted
	Steps int        `json:"steps"` // of a search
}

// A textFile is a file.
type textFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Check refuses a record that is no tree with a task.
func (f folders) Check() error {
	if len(f.Files) == 0 || len(f.Files) > 120 || f.Steps < 0 || f.Steps > 20 {
		return fmt.Errorf("it has %d files and %d steps", len(f.Files), f.Steps)
	}
	t := tree{}
	for _, one := range f.Files {
		p, err := clean("path", one.Path)
		if _, has := t[p]; err != nil || has || p != one.Path || strings.HasSuffix(p, "/") {
			return fmt.Errorf("files: the path %.80q: %w", one.Path, errors.Join(err, errors.New("comes twice, or is not in its shortest form")))
		}
		if err := t.add(p); err != nil {
			return err
		}
		if _, err := t.write(struct{ Path, Text string }{p, one.Text}); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	return f.checkTask(t)
}

// add makes the folders above a path.
func (t tree) add(p string) error {
	folder := ""
	for name := range strings.SplitSeq(path.Dir(p), "/") {
		folder = path.Join(folder, name)
		if e, has := t.at(folder); has && !e.folder {
			return fmt.Errorf("files: %.80q is a file and a folder", folder)
		} else if !has {
			t[folder] = entry{folder: true}
		}
	}
	return nil
}

// checkTask checks what the task says beside the tree.
func (f folders) checkTask(t tree) error {
	from, has := t[f.From]
	to, taken := t.at(f.To)
	switch f.Kind {
	case findFact:
		if _, room := f.fact(t); room == "" || strings.ContainsFunc(f.From, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return fmt.Errorf("the search from %.40q leads nowhere", f.From)
		}
		return nil
	case sortFiles:
		if !has || !from.folder || taken || path.Dir(f.To) != "." || f.To == "" || path.Clean(f.To) != f.To || len(f.To) > maxName {
			return fmt.Errorf("files go from %.80q to %.80q", f.From, f.To)
		}
		for _, topic := range f.topics(t) {
			if p, err := clean("topic", topic.text); err != nil || path.Dir(p) != "." || p == "." || p != topic.text {
				return fmt.Errorf("the topic %.40q is no name of a folder", topic.text)
			}
		}
	case renameFile:
		p, err := clean("to", f.To)
		if err != nil || p != f.To || !has || from.folder || taken && !to.folder || to.folder || path.Dir(f.From) != path.Dir(f.To) || len(f.refers(t)) == 0 {
			return fmt.Errorf("%.80q becomes %.80q", f.From, f.To)
		}
	case removeCopies:
		if !has || !from.folder {
			return fmt.Errorf("%.80q is no folder", f.From)
		}
	default:
		return fmt.Errorf("kind is %.20q", f.Kind)
	}
	if steps := f.session(); len(steps.plan) < 2 || steps.failed || f.count(t) == 0 {
		return errors.New("the task cannot be done with the tools, or there is nothing to do")
	}
	return nil
}

// Goal implements [toolbox.Start].
func (f folders) Goal(wording int) string {
	return []string{
		"You work on a tree of folders with small text files. Paths are written as `folder/file`, and the folder of all is `.`.",
		"There are text files in a tree of folders, whose top is `.`; a path looks like `folder/file`.",
		"Your tools work on text files in folders. A path is written `folder/file`, beginning at the top, which is `.`.",
	}[wording] + "\n\n" + f.task(wording)
}

// task says what is to be done.
func (f folders) task(wording int) string {
	switch f.Kind {
	case findFact:
		return fmt.Sprintf([]string{
			"Somewhere in the files there are lines such as \"pat works for kit\" and \"kit sits in room 100\". Begin with %s, and go on to the person for whom that one works, %s. In which room does the last one sit? The answer is the number. Change nothing.",
			"The files have lines like \"pat works for kit\" and \"kit sits in room 100\". From %s you go to the one for whom they work, %s; find the room where you end. Answer with its number, and leave the files as they are.",
			"Who works for whom, and who sits where, is written in the files, as in \"pat works for kit\" and \"kit sits in room 100\". Start at %s, step to the person they work for, %s, and give the number of the room of the person you have reached. No file may change.",
		}[wording], f.From, times(f.Steps))
	case sortFiles:
		return fmt.Sprintf([]string{
			"Sort the files in the folder `%[1]s`: each whose first line is \"topic: NAME\" goes into the folder `%[2]s/NAME`, under the same file name. Make those folders that are needed, and no others. All other files stay where they are. The answer is how many files you moved.",
			"Files in the folder `%[1]s` that begin with a line \"topic: NAME\" belong into `%[2]s/NAME`. Move them there, keeping their names, and make only folders that get a file. Nothing else moves. How many did you move? That is the answer.",
			"In `%[1]s`, look at the first line of each file. If it is \"topic: NAME\", the file shall be moved to the folder `%[2]s/NAME` without a change of its name; else it stays. New folders are made as needed, none in vain. Answer with the number of moved files.",
		}[wording], f.From, f.To)
	case renameFile:
		return fmt.Sprintf([]string{
			"Rename the file `%[1]s` to `%[2]s`. Other files refer to it by lines that read \"see: %[1]s\" and nothing else; change each of them to \"see: %[2]s\". All else stays as it is. The answer is the number of lines you changed.",
			"The file `%[1]s` gets the name `%[2]s`. Wherever a whole line is \"see: %[1]s\", it must become \"see: %[2]s\"; no other line may change. Answer with how many lines changed.",
			"`%[1]s` is to be called `%[2]s` from now on. Rename it, and correct all lines of other files that are exactly \"see: %[1]s\" into \"see: %[2]s\". How many lines did you correct? That is the answer.",
		}[wording], f.From, f.To)
	}
	return fmt.Sprintf([]string{
		"Some files in the folder `%s`, or in folders within it, have exactly the same text. Their names begin with a date. Of files with the same text keep the oldest, and remove the others. The answer is how many you removed.",
		"Below the folder `%s` there are copies: files with the same text to the last sign. Each name starts with a date. Remove every file of whose text there is an older one. Answer with the number of removed files.",
		"Remove the copies below `%s`. Of several files with one and the same text, only the one with the earliest date, with which each name begins, may remain. How many files did you remove? That is the answer.",
	}[wording], f.From)
}

// times says how often.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in all", n)
}

// Answer implements [toolbox.Start].
func (f folders) Answer() scenario.Param {
	return scenario.Param{Name: "answer", Doc: "the number", Type: scenario.Int()}
}

// Canonical implements [toolbox.Start].
func (f folders) Canonical() string { return fmt.Sprint(f) }

// begin returns the tree.
func (f folders) begin() tree {
	t := tree{}
	for _, one := range f.Files {
		_ = t.add(one.Path) // checked
		t[one.Path] = entry{text: one.Text}
	}
	return t
}

// World implements [toolbox.Start].
func (f folders) World() toolbox.World {
	t := f.begin()
	return &desk{folders: f, tree: t, before: t.state()}
}

// A desk is an episode.
type desk struct {
	folders
	tree
	before, after toolbox.State // what was, and what the plan makes; nil: not yet needed
}

// Tools implements [toolbox.World].
func (d *desk) Tools() scenario.Kit { return d.kit() }

// State implements [toolbox.World].
func (d *desk) State() toolbox.State { return d.state() }

// Untouched implements [toolbox.World].
func (d *desk) Untouched() toolbox.State { return d.before }

// wanted is the tree that the plan makes.
func (d *desk) wanted() toolbox.State {
	if d.after == nil {
		d.after = d.session().tree.state()
	}
	return d.after
}

// Mine implements [toolbox.World]: the plan changes the entry.
func (d *desk) Mine(entry string) bool {
	return toolbox.Differs(d.before, d.wanted(), entry) != ""
}

// Judge implements [toolbox.World].
func (d *desk) Judge(answer string) toolbox.Judgement {
	j := toolbox.Judgement{State: toolbox.FirstDifference(d.state(), d.wanted())}
	if want := strconv.Itoa(d.count(d.begin())); answer != want {
		j.Answer = fmt.Sprintf("%.40q, not %s", answer, want)
	}
	return j
}

// Plan implements [toolbox.Start].
func (f folders) Plan() []quintain.ToolCall {
	return append(f.session().plan, toolbox.Call("finish", map[string]int{"answer": f.count(f.begin())}))
}
