package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examdir"
	"github.com/quintain-rl/quintain/run/exam/examform"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// indifferent are the settings of eval that do not change its results: an examination may
// go on with others.
func indifferent() []string {
	return []string{
		"-data", "-log", "-run.parallel", "-run.replays", "-exam.max_failed", "-policy.weights", "-policy.delay",
		"-policy.url", "-policy.urls_file", "-policy.max_in_flight", "-policy.control", "-policy.key_file", "-policy.timeout", "-policy.retries",
	}
}

// openExamination opens the folder of an examination and lets e go on from what is there.
// The caller closes the folder.
func (w *world) openExamination(c *config, path string, e *exam.Exam) (*examdir.Folder, error) {
	values, err := settings.New(c).Use(append(uses()["eval"], indifferent()...)...).Values()
	if err != nil {
		return nil, err
	}
	switch {
	case c.Policy.Kind == kindTiny:
		values["weights"], err = c.weightsDigest()
	case c.Policy.remote():
		values["policy.model"], err = jsonform.Marshal(e.Policy.(*server.Server).Model()) // the settings may leave it to the server
	}
	if err != nil {
		return nil, err
	}
	folder, err := examdir.Open(path, examdir.NewPlan("quintain "+version(), e.Samples, values, e.Sets), e.Sets)
	if err != nil {
		return nil, err
	}
	e.Kept, e.Played = folder.Kept(), folder.Keep
	if n := len(e.Kept); n > 0 {
		fmt.Fprintf(w.stderr, "quintain eval: %s has the results of %d problems, which are not played again\n", path, n)
	}
	return folder, nil
}

// weightsDigest stands for the weights of the tiny policy, as JSON.
func (c *config) weightsDigest() (json.RawMessage, error) {
	saved, _, err := c.lastWeights()
	if err != nil {
		return nil, err
	}
	model := transformer.Checkpoint{Model: saved.Model, Vocabulary: saved.Vocabulary}
	text, err := model.Bytes(transformer.Float32)
	return fmt.Appendf(nil, `"%.16x"`, sha256.Sum256(text)), err
}

// writeReports writes a report into the folder of its examination, in every form that is a
// file.
func writeReports(folder *examdir.Folder, r *exam.Report) error {
	for _, form := range examform.Forms() {
		if form.File == "" {
			continue
		}
		var b bytes.Buffer
		if err := form.Write(&b, r); err != nil {
			return err
		}
		if err := folder.Write(form.File, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
