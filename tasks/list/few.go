package list

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// FewLevels lists the levels that have few problems by nature, such as "0,2-4"; "-" if no
// level has.
func FewLevels(info quintain.Info) string {
	var ranges []string
	for level := 0; level < len(info.Few); level++ {
		first := level
		for WhyFew(info, level) != "" {
			level++
		}
		switch level - first {
		case 0:
		case 1:
			ranges = append(ranges, strconv.Itoa(first))
		default:
			ranges = append(ranges, fmt.Sprintf("%d-%d", first, level-1))
		}
	}
	if ranges == nil {
		return "-"
	}
	return strings.Join(ranges, ",")
}

// WhyFew returns why a level has few problems by nature. It is empty if it has many.
func WhyFew(info quintain.Info, level int) string {
	if level >= len(info.Few) {
		return ""
	}
	return info.Few[level]
}
