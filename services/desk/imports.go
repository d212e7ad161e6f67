package desk

import (
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	shown "insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/intake"
	"insurance.example/exchange/services/desk/intake/template"
)

const (
	importsPath   = rest.ExtensionPrefix + "/import"
	importPath    = importsPath + "/{importId}"
	templatesPath = importsPath + "/template"
)

// importOperations are those about files whose rows become records.
func (o *office) importOperations() []rest.Extension {
	one := reflect.TypeFor[shown.Import]()
	return []rest.Extension{{
		Path: importsPath, Method: http.MethodGet, ID: "listImports",
		Summary: "The files that were sent to be imported, the newest first", Parameters: []string{"limit", "cursor"},
		Response: reflect.TypeFor[shown.ImportList](),
		Serve: func(c *gin.Context, _ any) (any, error) {
			after, limit, err := o.placeIn(c)
			if err != nil {
				return nil, err
			}
			page, err := o.intake.All(c.Request.Context(), after, limit)
			page.Next = o.cursorOf(c, page.Next)
			return page, err
		},
	}, {
		Path: importsPath, Method: http.MethodPost, Writes: true, ID: "sendImport",
		Summary: "Send a file whose rows become records, and check it",
		Details: "Nothing is made yet. The response says how each column was understood, and how many rows can be " +
			"made; the rows say what is wrong with each. A file has 64 MiB at most, 100,000 rows and 500 columns. " +
			"With resource its columns are named as the members of that resource, as exports write them: a CSV file " +
			"has commas and UTF-8, a workbook the first sheet that is not hidden, unless parameters say otherwise. " +
			"Else a profile says what the columns mean, one of your own or one that is shipped. A record that is " +
			"there already, by its externalReference, by the value that is unique among its resource, or because an " +
			"earlier import of yours made the same row, is not made again: where it is the last one of the row the " +
			"row is left out, and otherwise the others refer to it. The check of a long file goes on with :check. " +
			"The same file, read in the same way, is the same import, unless batch or attempt differs. What one " +
			"attempt has made is there for the next one of the same caller. A column " + shown.ReasonColumn +
			" is never read.",
		Takes: []string{csvMedia, table.XLSX.Media}, Largest: folder.LargestFile, Response: one,
		Query: []rest.Parameter{
			{Name: "resource", Means: "The resource whose members name the columns; required without profile"},
			{Name: "profile", Means: "The profile that the file is read by, of your own or shipped, such as motor"},
			{Name: "batch", Means: "A name, up to 100 characters, that parts this import from one of the same file"},
			{
				Name: "attempt",
				Means: "A name, up to 100 characters, by which the same file is checked once more, such as when what " +
					"its rows refer to is there at last",
			},
			{
				Name: "extensions", Values: []string{"true"},
				Means: "Whether columns that are no members of resource are members of your own; without it they are " +
					"not read",
			},
			{Name: "delimiter", Values: delimiterNames, Means: "What separates the cells of CSV; a comma without it"},
			{Name: "encoding", Means: "The encoding of CSV, such as windows-1252; utf-8 without it"},
			{Name: "decimalMark", Means: "The mark before the digits behind the point, . or ,; a point without it"},
			{Name: "groupingMark", Means: "What groups the digits of numbers, as in a profile; nothing without it"},
			{
				Name:   "dateOrder",
				Values: []string{reconciliation.YearFirst, reconciliation.DayFirst, reconciliation.MonthFirst},
				Means:  "The order within dates; only dates such as 2026-04-03 without it",
			},
			{Name: "sheet", Means: "The name of the sheet; the first that is not hidden without it"},
			{Name: "headerRow", Format: "int64", Means: "The row that names the columns, from 1; the first without it"},
			{
				Name:   "hiddenRows",
				Values: []string{reconciliation.ReadHidden, reconciliation.SkipHidden, reconciliation.RefuseHidden},
				Means:  "What is done with rows that a spreadsheet hides; without it a file that has some is refused",
			},
		},
		Refuses: []problem.Kind{problem.NotFound, problem.Invalid},
		Serve:   o.sendImport,
	}, {
		Path: importPath, Method: http.MethodGet, ID: "readImport",
		Summary: "An import: how the file was understood, and how far it has come", Response: one,
		Parameters: []string{"importId"}, Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return o.intake.Of(c.Request.Context(), c.Param("importId"))
		},
	}, {
		Path: importPath + "/file", Method: http.MethodGet, ID: "readImportFile",
		Summary: "The file of an import, as it was sent", Media: "application/octet-stream",
		Parameters: []string{"importId"}, Tagged: true, Refuses: []problem.Kind{problem.NotFound}, Serve: o.importFile,
	}, {
		Path: importPath + "/rows", Method: http.MethodGet, ID: "listImportRows",
		Summary: "The rows of an import, with what became of each or would",
		Details: "With Accept text/csv or that of XLSX the response is a file: the number of the row, its outcome, " +
			"the reason, the ids and numbers of its records, and the cells as they were sent. Such a file has no " +
			"pages. A page may have fewer rows than limit, also none, and further ones behind it.",
		Also:     table.Media(),
		Response: reflect.TypeFor[shown.ImportRows](), Parameters: []string{"importId", "limit"},
		Query: []rest.Parameter{
			{Name: "outcome", Values: shown.Outcomes, Means: "The outcome of the rows; any without it"},
			{Name: "after", Format: "int64", Means: "The value of next of the page before"},
		},
		Refuses: []problem.Kind{problem.NotFound}, Serve: o.importRows,
	}, {
		Path: importPath + ":check", Method: http.MethodPost, Writes: true, ID: "checkImport",
		Summary: "Go on to check the rows of an import",
		Details: "A request works for about eight seconds, and says how far the check has come. Send it again as " +
			"long as the state is checking. Anybody who may write can go on with what somebody else has sent.",
		Response: one, Parameters: []string{"importId"}, Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return o.intake.Check(c.Request.Context(), c.Param("importId"))
		},
	}, {
		Path: importPath + ":apply", Method: http.MethodPost, Writes: true, ID: "applyImport",
		Summary: "Make the records of the rows that passed the check",
		Details: "A request works for about eight seconds, and says how far it has come. Send it again as long as " +
			"the state is applying, also after a failure: nothing is made twice. The records are made by the " +
			"ordinary creations, in the name of who applied first, also when somebody else goes on. A row that " +
			"passed the check may still be refused, if something has changed since. Records that were made of it " +
			"before that stay, and the row says which: its outcome is partial. Mended and sent again by the same " +
			"caller " +
			"in the same batch, it takes over those that it would make alike.",
		Body: reflect.TypeFor[shown.ImportApply](), Response: one, Parameters: []string{"importId"},
		Refuses: []problem.Kind{problem.NotFound, problem.Required, problem.Transition},
		Serve: func(c *gin.Context, body any) (any, error) {
			return o.intake.Apply(c.Request.Context(), c.Param("importId"), *body.(*shown.ImportApply))
		},
	}, {
		Path: importPath + ":cancel", Method: http.MethodPost, Writes: true, ID: "cancelImport",
		Summary:  "End an import: no further record is made",
		Details:  "Rows that are being made are still finished, up to 250. What was made stays.",
		Response: one, Parameters: []string{"importId"}, Refuses: []problem.Kind{problem.NotFound, problem.Transition},
		Serve: func(c *gin.Context, _ any) (any, error) {
			return o.intake.Cancel(c.Request.Context(), c.Param("importId"))
		},
	}, {
		Path: templatesPath, Method: http.MethodGet, ID: "listImportTemplates",
		Summary:  "The forms of files that the exchange knows, each with a workbook to fill in",
		Response: reflect.TypeFor[shown.ImportTemplates](), Serve: o.importTemplates,
	}, {
		Path: templatesPath + "/{template}", Method: http.MethodGet, ID: "readImportTemplate",
		Summary: "The workbook of a form: its columns with an example, what each means, and the values it may have",
		Media:   table.XLSX.Media, Parameters: []string{"template"}, Refuses: []problem.Kind{problem.NotFound},
		Serve: o.importTemplate,
	}}
}

// delimiters are the delimiters by their names, which stand in a query without being escaped.
var (
	delimiters     = map[string]string{"": "", "comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
	delimiterNames = []string{"comma", "semicolon", "tab", "bar"}
)

func (o *office) sendImport(c *gin.Context, body any) (any, error) {
	how := intake.Sending{
		Resource: c.Query("resource"), Profile: c.Query("profile"), Batch: c.Query("batch"),
		Attempt: c.Query("attempt"),
		Format:  reconciliation.CSV, Extensions: c.Query("extensions") == "true",
		Declared: intake.Declared{
			Encoding: c.Query("encoding"), DecimalMark: c.Query("decimalMark"), GroupingMark: c.Query("groupingMark"),
			DateOrder: c.Query("dateOrder"), Sheet: c.Query("sheet"), HiddenRows: c.Query("hiddenRows"),
		},
	}
	if strings.HasPrefix(c.GetHeader("Content-Type"), table.XLSX.Media) {
		how.Format = reconciliation.XLSX
	}
	var known bool
	if how.Declared.Delimiter, known = delimiters[c.Query("delimiter")]; !known {
		return nil, problem.New(problem.BadParameter, "").InParameter("delimiter",
			"must be one of "+strings.Join(delimiterNames, ", "))
	}
	if text, given := c.GetQuery("headerRow"); given {
		if wrong := query.Whole(text, 1, mostSkipped, &how.Declared.HeaderRow); wrong != "" {
			return nil, problem.New(problem.BadParameter, "").InParameter("headerRow", wrong)
		}
	}
	return o.intake.Send(c.Request.Context(), how, body.(io.Reader))
}

func (o *office) importFile(c *gin.Context, _ any) (any, error) {
	ctx, id := c.Request.Context(), c.Param("importId")
	of, err := o.intake.Of(ctx, id)
	if err != nil {
		return nil, err
	}
	c.Header("ETag", `"`+of.FileDigest+`"`)
	c.Header("Content-Disposition", `attachment; filename="`+of.ID+`"`)
	return func(w io.Writer) error { return o.intake.WriteFile(ctx, id, w) }, nil
}

func (o *office) importRows(c *gin.Context, _ any) (any, error) {
	_, limit, err := pageOf(c)
	after := 0
	if text, given := c.GetQuery("after"); given && err == nil {
		if wrong := query.Whole(text, 0, mostSkipped, &after); wrong != "" {
			err = problem.New(problem.BadParameter, "").InParameter("after", wrong)
		}
	}
	outcome := c.Query("outcome")
	if err == nil && outcome != "" && !slices.Contains(shown.Outcomes, outcome) {
		err = problem.New(problem.BadParameter, "").InParameter("outcome",
			"must be one of "+strings.Join(shown.Outcomes, ", "))
	}
	if err != nil {
		return nil, err
	}
	if format := table.Asked(c); format.Name != "" {
		return format.Respond(c, "rows-"+c.Param("importId"), ofPages, func() ([]table.Column, table.Each, error) {
			return o.intake.Table(c.Request.Context(), c.Param("importId"), outcome)
		})
	}
	return o.intake.Rows(c.Request.Context(), c.Param("importId"), outcome, after, limit)
}

func (o *office) importTemplates(*gin.Context, any) (any, error) {
	all := shown.ImportTemplates{Templates: []shown.ImportTemplate{}}
	for _, form := range template.Forms(o.intake.Catalog) {
		all.Templates = append(all.Templates, shown.ImportTemplate{
			Name: form.Name, Records: form.Records, Workbook: templatesPath + "/" + form.Name + ".xlsx",
		})
	}
	return all, nil
}

func (o *office) importTemplate(c *gin.Context, _ any) (any, error) {
	name, is := strings.CutSuffix(c.Param("template"), ".xlsx")
	for _, form := range template.Forms(o.intake.Catalog) {
		if is && form.Name == name {
			c.Header("Content-Disposition", `attachment; filename="`+name+`.xlsx"`)
			return func(w io.Writer) error { return template.Write(w, form, o.intake.Catalog) }, nil
		}
	}
	return nil, problem.New(problem.NotFound, "There is no workbook "+problem.Short(c.Param("template"))+
		". GET "+templatesPath+" lists them.")
}
