package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A DataPart is a file of a data folder, or a folder in it.
type DataPart struct {
	Path    string `json:"path"`              // in the data folder
	Content string `json:"content"`           // in words
	Format  string `json:"format"`            // version found; "none": the format has none; empty: it could not be told
	Upgrade string `json:"upgrade,omitempty"` // what a start would write anew; empty: nothing
	Fault   string `json:"fault,omitempty"`   // why this program does not read it; empty: it does
}

// A DataReport says what a data folder is made of.
type DataReport struct {
	Folder  string     `json:"folder"`
	Program string     `json:"program"` // the version that made the folder
	Reads   bool       `json:"reads"`   // this program reads all of it
	Parts   []DataPart `json:"parts"`
}

// Formats are the formats of the parts, by path.
func (r DataReport) Formats() map[string]string {
	all := map[string]string{}
	for _, p := range r.Parts {
		all[p.Path] += p.Format + ";"
	}
	return all
}

// CheckData reads a data folder as a start would, except for the content of groups and episodes, and
// changes nothing on disk. No process may use it. An error says that it is no data folder.
func CheckData(ctx context.Context, dir string) (r DataReport, err error) {
	r.Folder = dir
	layout, err := r.layout(dir)
	if err != nil {
		return r, err
	}
	r.add(layout)
	if layout.Fault != "" { // nothing is known of its other parts
		return r, nil
	}
	lock, err := datadir.LockToRead(dir)
	if errors.Is(err, datadir.ErrInUse) {
		return r, fmt.Errorf("%s: %w: stop it, or check a copy", dir, err)
	}
	if err != nil {
		return r, err
	}
	if err := lock.Close(); err != nil {
		return r, err
	}
	r.queues(ctx, dir)
	for _, part := range []func(string) (DataPart, error){traces, sessions, weights} {
		p, err := part(dir)
		if err != nil {
			p.Fault = err.Error()
		}
		r.add(p)
	}
	r.rest(dir)
	return r, ctx.Err()
}

// add adds a part that is there.
func (r *DataReport) add(p DataPart) {
	if p.Path == "" {
		return
	}
	r.Parts = append(r.Parts, p)
	r.Reads = (r.Reads || len(r.Parts) == 1) && p.Fault == ""
}

// layout reads the version of the folder's layout.
func (r *DataReport) layout(dir string) (p DataPart, err error) {
	p = DataPart{Path: "format.json", Content: "the layout of the folder"}
	data, err := os.ReadFile(filepath.Join(dir, p.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("%s: has no format.json, so it is no data folder: want the folder of --data; if it was one, a start of the program makes the file anew", dir)
	}
	if err != nil {
		return p, err
	}
	var kept struct {
		Format int    `json:"format"`
		Writer string `json:"writer"`
	}
	if err := strictjson.Unmarshal(data, &kept); err != nil {
		p.Fault = fmt.Sprintf("it is damaged: put back a copy, or write {\"format\":%d} into it if this program, or one of its format, wrote the folder", datadir.Format)
	} else if p.Format, r.Program = fmt.Sprint(kept.Format), kept.Writer; kept.Format != datadir.Format {
		p.Fault = fmt.Sprintf("this program reads format %d: use the program that wrote it, or a later one", datadir.Format)
	}
	return p, nil
}

// rest adds the files whose formats have no version.
func (r *DataReport) rest(dir string) {
	for _, p := range []DataPart{
		{Path: "marks", Content: "how far queues and sessions came"},
		{Path: datadir.Training, Content: "lines of the training steps"},
		{Path: datadir.Evaluations, Content: "lines of the evaluations"},
		{Path: datadir.Metrics, Content: "lines of numbers"},
		{Path: datadir.Dumps, Content: "rollouts in the form of Atropos, for others"},
		{Path: datadir.Records, Content: "episodes in the form of AReaL, for others"},
	} {
		info, err := os.Stat(filepath.Join(dir, p.Path))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if p.Format = "none"; err == nil && !info.IsDir() {
			_, err = jsonl.ReadLog[struct{}](filepath.Join(dir, p.Path))
		}
		if err != nil {
			p.Fault = err.Error()
		}
		r.add(p)
	}
}

// ShowData prints the report of a data folder, and reports whether this program reads all of it.
func ShowData(ctx context.Context, dir string, asJSON bool, w io.Writer) (reads bool, err error) {
	r, err := CheckData(ctx, dir)
	if err != nil {
		return false, err
	}
	if asJSON {
		return r.Reads, strictjson.WriteIndented(w, r)
	}
	return r.Reads, r.Write(w)
}

// Write prints the report as a table.
func (r DataReport) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s, made by quintain %s\n", r.Folder, r.Program)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	upgrades := false
	for _, p := range r.Parts {
		verdict := "is read"
		switch upgrades = upgrades || p.Upgrade != ""; {
		case p.Fault != "":
			verdict = "IS NOT READ: " + strings.ReplaceAll(p.Fault, "\n", "; ")
		case p.Upgrade != "":
			verdict += "; " + p.Upgrade
		}
		format := "format " + p.Format
		if p.Format == "" || p.Format == "none" {
			format = "no version"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Path, format, p.Content, verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	end := "This program reads all of it, and upgrades nothing."
	switch {
	case !r.Reads:
		end = "This program does not read all of it: put back from a backup what is damaged (docs/backup.md)."
	case upgrades:
		end = "This program reads all of it. It upgrades the parts that say so when a run continues; copy the folder first if you may want to go back (docs/stability.md)."
	}
	_, err := fmt.Fprintln(w, end)
	return err
}
