package harbor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// A Mark names what a note is about.
type Mark string

// The marks of notes.
const (
	UnknownField Mark = "unknown_field"
	RewardFile   Mark = "reward_file" // which the tests name
	TestsName    Mark = "tests_name"  // files that the tests name, beside their own
	TestsInImage Mark = "tests_in_environment"
	GoldInImage  Mark = "solution_in_environment"
	FloatingTag  Mark = "floating_tag"
	NotNamed     Mark = "not_tested" // files of the instruction that no test names
	WantsNetwork Mark = "network"
)

// A Note is something that reading shows.
type Note struct {
	Mark Mark   `json:"mark"`
	Text string `json:"text"`
}

// Static is what reading shows of a task.
type Static struct {
	Notes     []Note
	NamesBoth bool     // the tests name reward.txt and reward.json
	InImage   []string // paths that the tests name, and environment/ has such a file
	Untested  string   // files that the instruction names, if no test names any; empty: none
}

// mostNamed is how many paths a note names.
const mostNamed = 8

// absolute matches paths from the root.
var absolute = compiled.Regexp("(?:^|[\\s\"'`=(,:])(/(?:[\\w.-]+/)*[\\w.-]*\\w)")

// named returns the paths that tests name, but for those of the system, of logs and of tests/: those whose like stands in environment/,
// and the others.
func named(tests, build []content) (inImage, outside []string) {
	seen := map[string]bool{}
	for _, f := range tests {
		for _, at := range absolute().FindAllSubmatch(f.text, -1) {
			name := string(at[1])
			top, _, below := strings.Cut(name[1:], "/")
			if seen[name] || slices.Contains(strings.Fields("bin dev etc lib logs proc sys tests usr"), top) {
				continue
			}
			seen[name] = true
			switch {
			case below && slices.ContainsFunc(build, func(f content) bool { return strings.HasSuffix(name, "/"+f.name) }):
				inImage = append(inImage, name)
			case below || path.Ext(name) != "":
				outside = append(outside, name)
			}
		}
	}
	return inImage, outside
}

// smallest is the least number of bytes of a file whose like in environment/ means something.
const smallest = 24

// Static reads a task's files.
func (t *Task) Static() (s Static, err error) {
	tests, err := t.texts(Tests)
	if err != nil {
		return s, err
	}
	build, err := t.texts(Environment)
	if err != nil {
		return s, err
	}
	gold, err := t.texts(Solution)
	if err != nil {
		return s, err
	}
	note := func(mark Mark, format string, args ...any) {
		s.Notes = append(s.Notes, Note{mark, fmt.Sprintf(format, args...)})
	}
	s.Notes = append(s.Notes, t.Config.Unknown...)
	names := func(word string) bool {
		return slices.ContainsFunc(tests, func(f content) bool { return bytes.Contains(f.text, []byte(word)) })
	}
	txt, object := names(RewardText), names(RewardJSON)
	s.NamesBoth = txt && object
	switch {
	case s.NamesBoth:
		note(RewardFile, "the tests name %s and %s: the second one counts if both are there", RewardText, RewardJSON)
	case object:
		note(RewardFile, "the tests write %s", RewardJSON)
	case !txt:
		note(RewardFile, "no file of tests/ names %s or %s", RewardText, RewardJSON)
	}
	for _, f := range alike(tests, build) {
		note(TestsInImage, "tests/%s stands in environment/%s, too: the agent may read it", f[0], f[1])
	}
	for _, f := range alike(gold, build) {
		note(GoldInImage, "solution/%s stands in environment/%s, too: the agent may read it", f[0], f[1])
	}
	s.Notes = append(s.Notes, floating(build, t.Config.Image)...)
	var outside []string
	s.InImage, outside = named(tests, build)
	if all := append(slices.Clone(s.InImage), outside...); len(all) > 0 {
		note(TestsName, "the tests name %s", strings.Join(all[:min(len(all), mostNamed)], ", "))
	}
	if s.Untested = t.unnamed(tests); s.Untested != "" {
		note(NotNamed, "the instruction names %s, and no test does", s.Untested)
	}
	if t.Config.Verifier.Network != NoNetwork || t.Config.Agent.Network != NoNetwork {
		note(WantsNetwork, "network_mode is %s, and a trial has its own loopback alone", t.Config.Agent.Network)
	}
	return s, nil
}

// A content is a file with its text.
type content struct {
	name string
	text []byte
}

// mostText is the most bytes of a file that is looked at.
const mostText = 4 << 20

// texts returns the files of a folder, without the largest.
func (t *Task) texts(folder string) (all []content, err error) {
	err = t.Walk(folder, func(f File) error {
		if f.Info.Size() > mostText {
			return nil
		}
		text, err := os.ReadFile(f.Path)
		all = append(all, content{f.Name, text})
		return err
	})
	return all, err
}

// alike returns the names of the files of a that some file of b equals, with that one.
func alike(a, b []content) (same [][2]string) {
	of := map[[32]byte]string{}
	for _, f := range b {
		of[sha256.Sum256(f.text)] = f.name
	}
	for _, f := range a {
		if other, is := of[sha256.Sum256(f.text)]; is && len(bytes.TrimSpace(f.text)) >= smallest {
			same = append(same, [2]string{f.name, other})
		}
	}
	return same
}

// from matches the image of a Dockerfile's FROM.
var from = compiled.Regexp(`(?im)^\s*FROM\s+(?:--platform=\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?`)

// floating notes images whose name may mean another one tomorrow.
func floating(build []content, image string) (notes []Note) {
	names, stages := []string{image}, []string{"", "scratch", "machine"}
	for _, f := range build {
		if path.Base(f.name) != "Dockerfile" {
			continue
		}
		for _, at := range from().FindAllSubmatch(f.text, -1) {
			names, stages = append(names, string(at[1])), append(stages, string(at[2]))
		}
	}
	for _, name := range names {
		if _, tag, _ := strings.Cut(path.Base(name), ":"); !slices.Contains(stages, name) && !strings.Contains(name, "@") && (tag == "" || tag == "latest") {
			notes = append(notes, Note{FloatingTag, fmt.Sprintf("%s may be another image tomorrow: name a version, or its digest", name)})
		}
	}
	return notes
}

// asked matches a file that an instruction names.
var asked = compiled.Regexp("`(?:[\\w.~-]*/)*([\\w-]+\\.[A-Za-z][\\w]{0,7})`|(?:^|[\\s\"'(])/(?:[\\w.-]+/)+([\\w-]+\\.[A-Za-z]\\w{0,7})\\b")

// unnamed returns the files that the instruction names, if no test names any of them.
func (t *Task) unnamed(tests []content) string {
	var names []string
	for _, at := range asked().FindAllStringSubmatch(t.Ask, -1) {
		name := at[1] + at[2]
		if slices.ContainsFunc(tests, func(f content) bool { return bytes.Contains(f.text, []byte(strings.TrimSuffix(name, path.Ext(name)))) }) {
			return ""
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
