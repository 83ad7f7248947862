package trace

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// GradingsName is the file of gradings in the folder of a trace.
const GradingsName = "regraded"

// A Grader names who graded: equal hashes mean equal verdicts on equal replies.
type Grader struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

// A Grading has the verdicts of a grader on the episodes of a group that was played before.
type Grading struct {
	Group   string    `json:"group"`
	Replies string    `json:"replies"` // digest of what the policy wrote; see [Replies]
	Grader  Grader    `json:"grader"`
	Time    time.Time `json:"time"`
	Grades  []Grade   `json:"grades"` // one for each episode
	Scores  []float64 `json:"scores"` // of each episode by the rules of the run; nil: an episode has no reward
}

// A Grade is the verdict on an episode. Was and WasRight are those of the record: they stay there.
type Grade struct {
	Was       *float64           `json:"was"` // nil: there was no reward
	WasRight  bool               `json:"was_right,omitempty"`
	Reward    *float64           `json:"reward"` // nil: the episode is ungraded, and Why says why
	Right     bool               `json:"right,omitempty"`
	Malformed bool               `json:"malformed,omitempty"`
	Turns     []float64          `json:"turns,omitempty"` // rewards of the turns, if there are several
	Answer    string             `json:"answer,omitempty"`
	Metrics   map[string]float64 `json:"metrics,omitempty"`
	Why       string             `json:"why,omitempty"`
}

// Replies is a digest of all that the policy wrote in some episodes.
func Replies(played []quintain.Trajectory) string {
	hash := sha256.New()
	for i := range played {
		for k := range played[i].Turns {
			fmt.Fprintf(hash, "%d %d %q\n", i, k, played[i].Turns[k].Reply)
		}
	}
	return fmt.Sprintf("%.8x", hash.Sum(nil))
}

// Apply gives the episodes of a record the rewards of the grading, and the group its scores. It
// reports whether the grading is of this record.
func (g *Grading) Apply(r *Record) bool {
	if !g.grades(r) {
		return false
	}
	for i := range r.Episodes {
		g.Grades[i].apply(&r.Episodes[i])
	}
	r.Scores, r.Advantages, r.Sequences = g.Scores, nil, nil
	return true
}

// grades reports whether the grading is of a record.
func (g *Grading) grades(r *Record) bool {
	return g.Group == r.Group() && len(g.Grades) == len(r.Episodes) && g.Replies == Replies(r.Episodes)
}

// apply gives an episode the reward of the grade.
func (g *Grade) apply(t *quintain.Trajectory) {
	last := t.Last()
	if g.Reward == nil || last < 0 {
		if t.Outcome.Rewarded() {
			t.Outcome, t.Error = quintain.Ungraded, g.Why
		}
		return
	}
	for k := range t.Turns {
		turn := &t.Turns[k]
		turn.Reward, turn.Right, turn.Malformed, turn.Illegal, turn.Value, turn.Why = 0, false, false, false, nil, ""
		if len(g.Turns) == len(t.Turns) {
			turn.Reward = g.Turns[k]
		}
	}
	end := &t.Turns[last]
	if len(g.Turns) != len(t.Turns) {
		end.Reward = *g.Reward
	}
	end.Right, end.Malformed, end.Why, end.Answer = g.Right, g.Malformed, g.Why, cmp.Or(g.Answer, end.Answer)
	t.End = cmp.Or(t.End, quintain.Terminated)
	if t.Outcome, t.Error = quintain.Scored, ""; g.Malformed || end.Finish == quintain.Length {
		t.Outcome = quintain.ModelFailed
	}
}

// Gradings is a file of gradings that this process alone adds to. It is not safe for concurrent use.
type Gradings struct {
	file   *os.File
	lock   io.Closer
	packer *packer
}

// OpenGradings opens or makes the file at path, and returns the gradings that it has, oldest first, and
// how many places of it are unreadable: damaged, or not finished by a killed process. The error is
// [datadir.ErrInUse] if another process adds to it.
func OpenGradings(path string) (g *Gradings, have []*Grading, lost int, err error) {
	g = &Gradings{packer: newPacker()}
	if g.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, nil, 0, err
	}
	have, lost, err = g.begin(path)
	if err != nil {
		return nil, nil, 0, errors.Join(fmt.Errorf("%s: %w", path, err), g.Close())
	}
	return g, have, lost, nil
}

// begin locks and reads the file, and cuts off what cannot be read at its end.
func (g *Gradings) begin(path string) (have []*Grading, lost int, err error) {
	if g.lock, err = datadir.LockToRead(path); err != nil {
		return nil, 0, err
	}
	have, end, lost, err := readGradings(g.file)
	if err != nil {
		return nil, 0, err
	}
	if err := g.file.Truncate(end); err != nil {
		return nil, 0, err
	}
	if end == 0 {
		_, err = g.file.WriteAt([]byte(magic), 0)
		end = int64(len(magic))
	}
	if err == nil {
		_, err = g.file.Seek(end, io.SeekStart)
	}
	return have, lost, err
}

// Add adds a grading. Once it returns, the grading survives a crash of the process.
func (g *Gradings) Add(one *Grading) error {
	text, err := json.Marshal(one)
	if err != nil {
		return fmt.Errorf("group %s: %w", one.Group, err)
	}
	g.packer.begin()
	g.packer.put(text)
	_, err = g.file.Write(appendFrame(nil, kindRegraded, g.packer.end()))
	return err
}

// Close makes the gradings survive a crash of the machine, and closes the file.
func (g *Gradings) Close() error {
	err := errors.Join(g.file.Sync(), g.file.Close())
	if g.lock != nil {
		err = errors.Join(err, g.lock.Close())
	}
	return err
}

// readGradings reads a file of gradings up to its end, or an incomplete frame.
func readGradings(f *os.File) (have []*Grading, end int64, lost int, err error) {
	text, err := io.ReadAll(f)
	if err != nil || len(text) == 0 {
		return nil, 0, 0, err
	}
	size := int64(len(text))
	if !bytes.HasPrefix(text, []byte(magic)) {
		return nil, 0, 0, fmt.Errorf("%w: it is no file of gradings of this version; move it away, and grade anew", ErrDamaged)
	}
	all := bytes.NewReader(text)
	for end = int64(len(magic)); ; {
		at, whole, err := frameAt(all, end, size)
		if err != nil || !whole {
			return have, end, lost + min(1, int(size-end)), err
		}
		end = at.end()
		var one Grading
		if text, err := at.payload(all); at.kind != kindRegraded || err != nil || strictjson.Unmarshal(text, &one) != nil {
			lost++
			continue
		}
		have = append(have, &one)
	}
}

// Regrade has Read return records under their newest grading; those without one stay as they are. It is
// an error if all are.
func (r *Reader) Regrade() (err error) {
	if r.gradings, _, err = r.newest(0); err == nil && len(r.gradings) == 0 {
		err = errors.New("nothing is graded anew there: quintain regrade does it")
	}
	return err
}

// Graded returns the newest grading of a record, which stays as it is; nil: there is none.
func (r *Reader) Graded(record *Record) (*Grading, error) {
	r.beside.Lock()
	defer r.beside.Unlock()
	fresh, size, err := r.newest(r.beside.size)
	if err != nil {
		return nil, err
	}
	if fresh != nil {
		r.beside.gradings, r.beside.size = fresh, size
	}
	if g := r.beside.gradings[record.Group()]; g != nil && g.grades(record) {
		return g, nil
	}
	return nil, nil
}

// newest reads the newest gradings by group, and the size of their files; nil if that is the known one.
func (r *Reader) newest(known int64) (gradings map[string]*Grading, size int64, err error) {
	var files []string
	for _, source := range r.sources {
		path := filepath.Join(string(source), GradingsName)
		if info, err := os.Stat(path); err == nil {
			files, size = append(files, path), size+info.Size()
		}
	}
	if size == known && known > 0 {
		return nil, size, nil
	}
	gradings = map[string]*Grading{}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, 0, err
		}
		have, _, _, err := readGradings(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		for _, one := range have {
			if other := gradings[one.Group]; other == nil || !one.Time.Before(other.Time) {
				gradings[one.Group] = one
			}
		}
	}
	return gradings, size, nil
}
