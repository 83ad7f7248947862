package arithmetic

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/answer"
)

// readInt reads a whole number of up to 18 digits as Python's int does: space
// around it, a sign, underscores, digits of any script.
func readInt(text string) (n int, ok bool) {
	d, ok := answer.ReadDecimal(text)
	const most = 18
	if !ok || len(d.Digits)+d.Exp > most || strings.ContainsAny(text, ".eE") {
		return 0, false
	}
	n, err := strconv.Atoi("0" + d.Digits + strings.Repeat("0", d.Exp))
	if d.Neg {
		n = -n
	}
	return n, err == nil
}
