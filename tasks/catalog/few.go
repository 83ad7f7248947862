package catalog

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// FewLevels lists the levels that have few problems by nature, such as "0 1 3"; "-" if no
// level has.
func FewLevels(info quintain.Info) string {
	var levels []string
	for level, why := range info.Few {
		if why != "" {
			levels = append(levels, strconv.Itoa(level))
		}
	}
	if levels == nil {
		return "-"
	}
	return strings.Join(levels, " ")
}

// WhyFew returns why a level has few problems by nature. It is empty if it has many.
func WhyFew(info quintain.Info, level int) string {
	if level >= len(info.Few) {
		return ""
	}
	return info.Few[level]
}
