package office

import (
	"fmt"
	"path"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// Words of drawn trees.
var (
	folderNames = strings.Fields("archive letters garden travel music kitchen school projects reports drafts recipes photos ideas budget team events")
	fileNames   = strings.Fields("notes list plan draft memo summary report letter index agenda outline survey minutes review sketch diary log")
	topicNames  = strings.Fields("garden travel music kitchen school health")
	fillers     = strings.Fields("the old new red small quiet early late window table paper river morning train tea rain letter story and or with near under seen found left")
)

// A drawing is a tree under way.
type drawing struct {
	treeParams
	r       *rng.Rand
	made    folders
	taken   map[string]bool // paths
	folders []string
}

// makeFolders draws a tree with a task.
func makeFolders(p treeParams, r *rng.Rand) (folders, error) {
	d := &drawing{treeParams: p, r: r, taken: map[string]bool{}}
	d.made.Kind = rng.Pick(r, p.Kinds)
	d.folders = d.grow()
	switch d.made.Kind {
	case findFact:
		d.facts()
	case sortFiles:
		d.inbox()
	case renameFile:
		d.references()
	case removeCopies:
		d.duplicates()
	}
	for len(d.made.Files) < p.Files {
		d.add(d.place(rng.Pick(r, d.folders)), d.lines(r.Between(1, 4)))
	}
	return d.made, task.Check(d.made)
}

// grow draws folders, none deeper than the level wants.
func (d *drawing) grow() []string {
	all := []string{"."}
	names := rng.Sample(d.r, folderNames, min(2+d.Files/8, len(folderNames)-1))
	for i, name := range names {
		above := "."
		if i > 1 {
			above = rng.Pick(d.r, all)
		}
		if above != "." && strings.Count(above, "/")+1 >= d.Depth {
			above = "."
		}
		all = append(all, path.Join(above, name))
	}
	return all[1:]
}

// place draws a new path in a folder.
func (d *drawing) place(folder string) string {
	for {
		name := rng.Pick(d.r, fileNames)
		if d.Blanks && d.r.Chance(0.4) {
			name = rng.Pick(d.r, fillers) + " " + name
		}
		if d.r.Chance(0.7) {
			name += fmt.Sprintf("-%d", d.r.Between(1, 99))
		}
		if p := path.Join(folder, name+".txt"); !d.taken[p] {
			return p
		}
	}
}

// add adds a file.
func (d *drawing) add(p, text string) {
	d.taken[p] = true
	d.made.Files = append(d.made.Files, textFile{p, text})
}

// lines draws lines of no meaning.
func (d *drawing) lines(n int) string {
	var b strings.Builder
	for range n {
		words := make([]string, d.r.Between(3, 7))
		for i := range words {
			words[i] = rng.Pick(d.r, fillers)
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

// hide puts lines into as many files, each within lines of no meaning.
func (d *drawing) hide(lines []string) {
	rng.Shuffle(d.r, lines)
	for _, line := range lines {
		d.add(d.place(rng.Pick(d.r, d.folders)), d.lines(d.r.Between(0, 2))+line+"\n"+d.lines(d.r.Between(0, 2)))
	}
}

// facts draws who works for whom, for a search and beside it.
func (d *drawing) facts() {
	names := rng.Sample(d.r, keyNames, 2*d.Items+4)
	rooms := rng.Different(d.r, len(names), 101, 989)
	d.made.From, d.made.Steps = names[0], d.Items
	var lines []string
	for i := range d.Items {
		lines = append(lines, names[i]+worksFor+names[i+1])
	}
	lines = append(lines, fmt.Sprint(names[d.Items], sitsIn, rooms[0]))
	for i, other := range names[d.Items+1:] { // beside the way, and what was once
		switch i % 3 {
		case 0:
			lines = append(lines, fmt.Sprint(other, sitsIn, rooms[i+1]))
		case 1:
			lines = append(lines, rng.Pick(d.r, names[:d.Items+1])+" once worked for "+other)
		default:
			lines = append(lines, other+worksFor+rng.Pick(d.r, names[:d.Items+1]))
		}
	}
	lines = append(lines, fmt.Sprint(names[d.Items], " sat in room ", rooms[len(rooms)-1], " before"))
	d.hide(lines)
}

// inbox draws files to be sorted, and others beside them.
func (d *drawing) inbox() {
	d.made.From, d.made.To = rng.Pick(d.r, []string{"inbox", "incoming", "new"}), rng.Pick(d.r, []string{"sorted", "topics", "shelf"})
	topics := rng.Sample(d.r, topicNames, min(1+(d.Items+1)/2, len(topicNames)))
	head := func() string { return topicIs + rng.Pick(d.r, topics) + "\n" }
	for range d.Items + 1 {
		d.add(d.place(d.made.From), head()+d.lines(d.r.Between(1, 3)))
	}
	for range max(d.Items/2, 1) {
		d.add(d.place(d.made.From), d.lines(1)+head()+d.lines(1))
		d.add(d.place(d.made.From), d.lines(2))
		d.add(d.place(rng.Pick(d.r, d.folders)), head()+d.lines(1))
	}
}

// references draws a file with lines that refer to it, and others that seem to.
func (d *drawing) references() {
	d.made.From = d.place(rng.Pick(d.r, d.folders))
	d.add(d.made.From, d.lines(3))
	for {
		d.made.To = d.place(path.Dir(d.made.From))
		if !strings.Contains(d.made.To, strings.TrimSuffix(path.Base(d.made.From), ".txt")) {
			break
		}
	}
	d.taken[d.made.To] = true
	var lines []string
	for range d.Items {
		lines = append(lines, seeAlso+d.made.From)
	}
	if d.Items > 2 {
		lines = append(lines, seeAlso+d.made.From+"\n"+d.lines(1)+seeAlso+d.made.From)
	}
	for i := range max(d.Items/2, 1) {
		decoy := []string{seeAlso + d.made.From + ".old", "Do not " + seeAlso + d.made.From, seeAlso + rng.Pick(d.r, d.folders) + "/" + path.Base(d.made.From) + "2"}[i%3]
		lines = append(lines, decoy)
	}
	d.hide(lines)
}

// duplicates draws files of which some have the same text, and others almost the same.
func (d *drawing) duplicates() {
	d.made.From = rng.Pick(d.r, []string{"scans", "backup", "mail"})
	inner := []string{d.made.From}
	for _, name := range rng.Sample(d.r, folderNames, d.Depth-1) {
		inner = append(inner, path.Join(d.made.From, name))
	}
	days := rng.Different(d.r, d.Items+5, 0, 27*12-1)
	texts := []string{}
	for range max(d.Items/3, 1) {
		texts = append(texts, d.lines(d.r.Between(1, 3)))
	}
	for i, day := range days {
		text := rng.Pick(d.r, texts)
		switch {
		case i < 2:
			text = texts[0]
		case d.r.Chance(0.25):
			text += d.lines(1)
		case d.r.Chance(0.2):
			text = strings.TrimSuffix(text, "\n") + " again\n"
		}
		name := fmt.Sprintf("2024-%02d-%02d %s.txt", day/27+1, day%27+1, rng.Pick(d.r, fileNames))
		if !d.Blanks {
			name = strings.ReplaceAll(name, " ", "-")
		}
		d.add(path.Join(rng.Pick(d.r, inner), name), text)
	}
	d.add(path.Join(rng.Pick(d.r, d.folders), "2023-01-05.txt"), texts[0])
}
