package table

import (
	"io"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
)

// Media are the media types of the formats, for an operation that also responds with a file.
func Media() []string { return []string{CSV.Media, XLSX.Media} }

// Asked returns the format in which a request asks for a list as a file; one without a name where it does not.
func Asked(c *gin.Context) Format {
	c.Header("Vary", "Accept")
	plain, _, _ := strings.Cut(CSV.Media, ";")
	switch c.NegotiateFormat("application/json", plain, XLSX.Media) {
	case plain:
		return CSV
	case XLSX.Media:
		return XLSX
	}
	return Format{}
}

// Respond returns what writes a list as a file with a name. pages are the parameters of pages, which a file does not
// have, and of returns the columns and what calls a function with each row. Errors: those of it,
// problem.BadParameter.
func (f Format) Respond(c *gin.Context, name string, pages []string, of func() ([]Column, Each, error)) (any, error) {
	for _, name := range pages {
		if c.Query(name) != "" {
			return nil, problem.New(problem.BadParameter, "").InParameter(name, "is of pages, and a file has none")
		}
	}
	columns, each, err := of()
	if err != nil {
		return nil, err
	}
	c.Header("Content-Type", f.Media)
	c.Header("Content-Disposition", `attachment; filename="`+name+`.`+f.Name+`"`)
	return func(w io.Writer) error { return f.Write(w, columns, each) }, nil
}
