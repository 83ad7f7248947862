package stats

// mostPoints is the largest number of points of a curve.
const mostPoints = 64

// A Curve is the course of a value: a bounded number of points, each the mean of equally
// many values. The zero value is empty. It is not safe for concurrent use.
type Curve struct {
	points []float64 // all complete except the last
	filled int       // values in the last point
	each   int       // values in a complete point; 0: no value yet
}

// Add adds the next value.
func (c *Curve) Add(v float64) {
	if c.each == 0 {
		c.each = 1
	}
	if len(c.points) == 0 || c.filled == c.each {
		if len(c.points) == mostPoints {
			c.halve()
		}
		c.points, c.filled = append(c.points, 0), 0
	}
	last := &c.points[len(c.points)-1]
	*last = (*last*float64(c.filled) + v) / float64(c.filled+1)
	c.filled++
}

// halve merges pairs of neighbouring points. All points are complete.
func (c *Curve) halve() {
	half := len(c.points) / 2
	for i := range half {
		c.points[i] = (c.points[2*i] + c.points[2*i+1]) / 2
	}
	c.points, c.each = c.points[:half], 2*c.each
	c.filled = c.each
}

// Points returns a copy of the points.
func (c *Curve) Points() []float64 { return append([]float64{}, c.points...) }

// Spark draws points, values from 0 to 1, in at most width characters.
func Spark(points []float64, width int) string {
	const marks = "▁▂▃▄▅▆▇█"
	rows := []rune(marks)
	n := max(0, min(width, len(points)))
	drawn := make([]rune, n)
	for i := range drawn {
		from, to := i*len(points)/n, (i+1)*len(points)/n
		v := min(1, max(0, mean(points[from:to])))
		drawn[i] = rows[min(len(rows)-1, int(v*float64(len(rows))))]
	}
	return string(drawn)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
