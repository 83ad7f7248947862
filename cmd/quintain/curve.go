package main

// curvePoints is the number of points that a curve has at most.
const curvePoints = 64

// A curve is the course of a value, in a bounded number of points, each the mean
// of equally many values.
type curve struct {
	points []float64 // all whole but the last
	filled int       // values in the last point
	each   int       // values of a whole point; 0: none came yet
}

// add takes the next value in.
func (c *curve) add(v float64) {
	if c.each == 0 {
		c.each = 1
	}
	if len(c.points) == 0 || c.filled == c.each {
		if len(c.points) == curvePoints {
			c.halve()
		}
		c.points, c.filled = append(c.points, 0), 0
	}
	last := &c.points[len(c.points)-1]
	*last = (*last*float64(c.filled) + v) / float64(c.filled+1)
	c.filled++
}

// halve joins neighbouring points, all of which are whole.
func (c *curve) halve() {
	half := len(c.points) / 2
	for i := range half {
		c.points[i] = (c.points[2*i] + c.points[2*i+1]) / 2
	}
	c.points, c.each = c.points[:half], 2*c.each
	c.filled = c.each
}

// spark draws the curve in at most width characters, for values from 0 to 1.
func (c *curve) spark(width int) string {
	const marks = "▁▂▃▄▅▆▇█"
	rows := []rune(marks)
	n := min(width, len(c.points))
	drawn := make([]rune, n)
	for i := range drawn {
		from, to := i*len(c.points)/n, (i+1)*len(c.points)/n
		v := min(1, max(0, mean(c.points[from:to])))
		drawn[i] = rows[min(len(rows)-1, int(v*float64(len(rows))))]
	}
	return string(drawn)
}
