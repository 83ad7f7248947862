package pipe

import (
	"context"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// VerifyMath reads lines with a [mathverify.Pair] each, and writes a [mathverify.Verdict]
// for each, in order, or {"error"} if the line is invalid. It works on all cores. See
// [jsonl.Answer] for its limits and errors.
func VerifyMath(ctx context.Context, in io.Reader, out io.Writer) error {
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		return func(dst, line []byte) ([]byte, error) { return appendVerified(ctx, dst, line) }
	})
}

// appendVerified appends the verdict on a pair.
func appendVerified(ctx context.Context, dst, line []byte) ([]byte, error) {
	var pair mathverify.Pair
	if err := strictjson.Unmarshal(line, &pair); err != nil {
		return dst, fmt.Errorf(`the line is not {"gold": …, "answer": …}: %w`, err)
	}
	verdict, err := pair.Verify(ctx)
	if err != nil {
		return dst, err
	}
	return strictjson.Append(dst, &verdict)
}
