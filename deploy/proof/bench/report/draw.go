package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// Draw draws the reports in files into an SVG file, which comes first among the arguments.
func Draw(args []string) error {
	if len(args) < 2 {
		return errors.New("draw takes the file to write and those of reports of -scale, as in: bench draw growth.svg 10000.json 100000.json")
	}
	var all []*Report
	for _, file := range args[1:] {
		r, err := Read(file)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	text, err := drawing(all)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], []byte(text), 0o644)
}

// point is what a request costs at a number of records: the CPU time of the exchange, in times that of the bare
// handler.
type point struct {
	records int
	cost    float64
}

// curve is a row of the reports.
type curve struct {
	name   string
	points []point
}

// curvesOf returns a curve for each row, over the records of each kind: those of the book that the smallest report
// begins with, and those that were loaded.
func curvesOf(reports []*Report) ([]curve, error) {
	reports = slices.SortedFunc(slices.Values(reports), func(a, b *Report) int { return a.Options.Count - b.Options.Count })
	var all []curve
	add := func(r *Report, table string, records int) {
		for _, t := range r.Tables {
			for _, row := range t.Rows {
				if t.Name != table {
					continue
				}
				at := slices.IndexFunc(all, func(c curve) bool { return c.name == row.Name })
				if at < 0 {
					at, all = len(all), append(all, curve{name: row.Name})
				}
				all[at].points = append(all[at].points, point{records, 1 / middle(quotients(row.Bare, row.Exchange, CPU))})
			}
		}
	}
	add(reports[0], SmallTable, reports[0].Options.Policies)
	for _, r := range reports {
		add(r, LargeTable, r.Options.Count)
	}
	for _, c := range all {
		if len(c.points) != len(reports)+1 {
			return nil, fmt.Errorf("%s was not measured in each report: all must be of bench -scale, with the same rows", c.name)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the reports are not of bench -scale")
	}
	return all, nil
}

// The size of the drawing, and what is left around the curves.
const (
	drawnWidth, drawnHeight = 800, 420
	left, right, top, below = 70, 280, 50, 60
	// tooClose is the distance of two points of which the lower one has its figure below it.
	tooClose = 24
)

var colours = []string{"#1f5fa8", "#b3541e", "#2f7d4f", "#7a4a9e"}

// drawing returns the curves of reports as SVG, over a logarithmic axis of records.
func drawing(reports []*Report) (string, error) {
	curves, err := curvesOf(reports)
	if err != nil {
		return "", err
	}
	first, last, most := curves[0].points[0].records, curves[0].points[len(reports)].records, 0.0
	for _, c := range curves {
		for _, p := range c.points {
			most = max(most, p.cost)
		}
	}
	most = math.Ceil(most)
	x := func(records int) float64 {
		return left + (drawnWidth-left-right)*math.Log(float64(records)/float64(first))/math.Log(float64(last)/float64(first))
	}
	y := func(cost float64) float64 { return drawnHeight - below - (drawnHeight-top-below)*cost/most }
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	words := func(x, y float64, how, text string) {
		say(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, how, escaped(text))
	}
	say(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="#222">`, drawnWidth, drawnHeight)
	say(`<rect width="100%%" height="100%%" fill="#fff"/>`)
	words(left, 24, `font-size="15" font-weight="bold"`, "CPU time of a request, in times that of the bare handler")
	for cost := 0.0; cost <= most; cost++ {
		say(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>`, left, y(cost), drawnWidth-right, y(cost))
		words(left-10, y(cost)+4, `text-anchor="end"`, fmt.Sprintf("%.0f", cost))
	}
	for _, p := range curves[0].points {
		words(x(p.records), drawnHeight-below+22, `text-anchor="middle"`, thousands(p.records))
	}
	words((left+drawnWidth-right)/2., drawnHeight-14, `text-anchor="middle"`, "vehicles, and as many policies, that are stored")
	for i, c := range curves {
		colour := colours[i%len(colours)]
		var path []string
		for nth, p := range c.points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(p.records), y(p.cost)))
			say(`<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`, x(p.records), y(p.cost), colour)
			beside := y(p.cost) - 9
			if slices.ContainsFunc(curves, func(o curve) bool {
				return o.points[nth].cost > p.cost && y(p.cost)-y(o.points[nth].cost) < tooClose
			}) {
				beside = y(p.cost) + 18
			}
			words(x(p.records), beside, `text-anchor="middle" font-size="11"`, fmt.Sprintf("%.2f", p.cost))
		}
		say(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, strings.Join(path, " "), colour)
		say(`<circle cx="%d" cy="%d" r="4" fill="%s"/>`, drawnWidth-right+34, top+20*i, colour)
		words(drawnWidth-right+44, float64(top+20*i+4), fmt.Sprintf(`fill="%s"`, colour), c.name)
	}
	say(`</svg>`)
	return out.String(), nil
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder takes all
	return out.String()
}

// thousands returns a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
