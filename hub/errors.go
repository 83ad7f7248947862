package hub

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// fail answers a request that was not carried out because of err.
func (r *Run) fail(c *web.Call, err error) {
	var (
		fault  *atropos.Error
		field  *quintain.FieldError
		format *groupform.FormatError
		huge   *groupform.TooLargeError
		rival  *queue.ConflictError
	)
	switch {
	case errors.As(err, &fault):
		r.refuse(c, fault)
	case errors.As(err, &field):
		r.refuse(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{field.Field}, Msg: field.Why})
	case errors.As(err, &format):
		r.refuse(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{format.Field}, Msg: format.Why})
	case errors.As(err, &huge):
		c.Detail(http.StatusRequestEntityTooLarge, huge.Error())
	case errors.As(err, &rival):
		c.Detail(http.StatusConflict, rival.Error())
	case errors.Is(err, queue.ErrClosed) && r.deleted.Load():
		c.Detail(http.StatusGone, "the run was deleted")
	case errors.Is(err, queue.ErrNoSpace):
		c.Fault(http.StatusInsufficientStorage, err)
	default:
		c.Fail(err)
	}
}

// refuse answers an invalid request.
func (r *Run) refuse(c *web.Call, fault *atropos.Error) {
	r.tally.count(func(n *counts) { n.refused++ })
	r.log.Debug("refused", "path", c.R.URL.Path, "err", fault)
	status := http.StatusUnprocessableEntity
	if fault.Type == atropos.TypeUnreadable {
		status = http.StatusBadRequest
	}
	c.JSON(status, fault.AppendBody(nil))
}

// within returns an error about a number of a request that is above most.
func within(field string, n, most int) error {
	if n <= most {
		return nil
	}
	return &atropos.Error{Type: atropos.TypeRange, Loc: []any{field}, Msg: fmt.Sprintf("Input should be at most %d", most), Input: strconv.Itoa(n)}
}

// queryError is an invalid parameter in the path, or after it.
func queryError(name, want string) error {
	return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"query", name}, Msg: "should be " + want}
}

// isCorrupt reports whether err is about a stored group that cannot be read.
func isCorrupt(err error) bool {
	var c *queue.CorruptError
	return errors.As(err, &c)
}
