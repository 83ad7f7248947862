package kept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
)

// headKey is the key of the record that names the portions of the checkpoint.
const headKey = "checkpoint"

// A head names the portions of a checkpoint. Those of the next one have other keys, so a process
// that is killed while it writes them leaves the last one whole.
type head struct {
	Format int `json:"format"`
	Slot   int `json:"slot"`  // 0 or 1
	Bytes  int `json:"bytes"` // of the whole checkpoint
}

// headFormat is the version of a head's format.
const headFormat = 1

// A Checkpoint is the checkpoint of a run. It is for one goroutine.
type Checkpoint struct {
	Place
	slot  int  // of the stored one
	told  bool // that the folder did not take the last
	lacks bool // the store has none, and nothing may be stored before [Checkpoint.Settle]
}

// Read returns the checkpoint, and copies a stored one into the folder. Without one, the error is
// [fs.ErrNotExist]. A store that has none yet may belong to a run of an older program, which
// kept it in the folder alone: then Read returns that of the folder, and until Settle the store
// remains as it is.
func (c *Checkpoint) Read() ([]byte, error) {
	if c.Store == nil {
		return os.ReadFile(c.path())
	}
	data, err := c.stored()
	if err != nil {
		return nil, fmt.Errorf("checkpoint in the queue's store: %w", err)
	}
	if c.lacks = data == nil; c.lacks {
		return os.ReadFile(c.path())
	}
	return data, c.copyOut(data)
}

// Write replaces the checkpoint: in the store first, if there is one, and then a full disk of the
// folder is no error.
func (c *Checkpoint) Write(data []byte) error {
	if c.Store == nil || c.lacks {
		return datadir.WriteFile(c.path(), data)
	}
	if err := c.keep(data); err != nil {
		return err
	}
	err := datadir.WriteFile(c.path(), data)
	if err != nil && !c.told && c.Log != nil {
		c.Log.Error("the checkpoint has no copy in the data folder, which the next process makes: the NATS server has it", "file", c.path(), "err", err)
	}
	c.told = err != nil
	return nil
}

// Settle stores the checkpoint of the folder if the store lacked it at Read. Call it once the
// run has opened, which refuses the checkpoint of another run, and after its logs have: whoever
// finds the checkpoint in the store finds their lines too.
func (c *Checkpoint) Settle() error {
	if c.Store == nil || !c.lacks {
		return nil
	}
	data, err := os.ReadFile(c.path())
	if err != nil {
		return err
	}
	if err := c.keep(data); err != nil {
		return fmt.Errorf("checkpoint in the queue's store: %w", err)
	}
	c.lacks = false
	return nil
}

// Remedy adds the way back to the error of a run that has lost its checkpoint.
func (c *Checkpoint) Remedy(err error) error {
	if c.Store != nil {
		return c.Explain(fmt.Errorf("%w: restore both streams of the run from one backup", err))
	}
	all := Versions{Folder: c.Folder.Join(datadir.Weights)}
	have, _ := all.list() // none is as good as an error
	if len(have) == 0 {
		return fmt.Errorf("%w: put back the newest copy, or begin anew in another folder with --data; no weights are kept to go on from (run.keep_weights keeps some)", err)
	}
	newest := have[len(have)-1]
	return fmt.Errorf("%w: put back the newest copy, or go on from the newest weights that are kept, those of version %d, without the training since: cp %s %s",
		err, newest, all.path(newest), c.path())
}

// Lacks reports whether the store had none at Read, so that of the folder may be another run's.
func (c *Checkpoint) Lacks() bool { return c.lacks }

// Explain adds the remedy to the error of a run that its checkpoint does not belong to, if the
// store lacks that of the run.
func (c *Checkpoint) Explain(err error) error {
	if !c.lacks {
		return err
	}
	return fmt.Errorf("%w; the NATS server has no checkpoint of this run, which an older program kept only in the data folder of the machine that trained: "+
		"start this program once with that folder, or copy %s, %s and %s from there into this one; then any machine can go on",
		err, datadir.Checkpoint, datadir.Training, datadir.Evaluations)
}

func (c *Checkpoint) path() string { return c.Folder.Join(datadir.Checkpoint) }

// stored returns the checkpoint of the store; nil: there is none.
func (c *Checkpoint) stored() ([]byte, error) {
	text, err := c.get(headKey)
	if err != nil || text == nil {
		return nil, err
	}
	var h head
	if err := strictjson.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("state %s: %w", headKey, err)
	}
	if h.Format != headFormat {
		return nil, fmt.Errorf("state %s has format %d, and this program reads format %d: use the program that wrote it", headKey, h.Format, headFormat)
	}
	var data []byte
	for n := 0; len(data) < h.Bytes; n++ {
		piece, err := c.get(portionKey(h.Slot)(n))
		if err != nil {
			return nil, err
		}
		if len(piece) == 0 {
			return nil, fmt.Errorf("state %s is missing: restore both streams of the run from one backup", portionKey(h.Slot)(n))
		}
		data = append(data, piece...)
	}
	c.slot = h.Slot
	return data[:h.Bytes], nil
}

// portionKey names the portions of a slot.
func portionKey(slot int) func(n int) string {
	return func(n int) string { return fmt.Sprintf("%s-%d-%d", headKey, slot, n) }
}

// keep replaces the checkpoint of the store.
func (c *Checkpoint) keep(data []byte) error {
	slot := 1 - c.slot
	text, err := json.Marshal(head{headFormat, slot, len(data)})
	if err != nil {
		return err
	}
	list := append(pieces(data, portion, 0, portionKey(slot)), queue.State{Key: headKey, Value: text})
	if err := c.put(list); err != nil {
		return err
	}
	c.slot = slot
	return nil
}

// copyOut copies the stored checkpoint into the folder. One there is older, unless the log of
// steps beside it is another run's, or there is none.
func (c *Checkpoint) copyOut(data []byte) error {
	old, err := c.copied(datadir.Checkpoint)
	if err != nil || bytes.Equal(old, data) {
		return err
	}
	if old != nil {
		ours, err := c.follows(datadir.Training)
		if err != nil {
			return err
		}
		if !ours {
			if err := c.aside(datadir.Checkpoint); err != nil {
				return err
			}
		}
	}
	return datadir.WriteFile(c.path(), data)
}
