// Package sheet reads the rows of a file that somebody sends, CSV or XLSX, one after the other. A file can be anything:
// nothing in it makes the reading take more memory than its bounds say. What is no table is refused as a whole, with
// what it is; a cell whose value cannot be taken says why, and the others of its row are read.
//
// Its files:
//
//	sheet.go    cells, rows and their bounds
//	escape.go   characters that XML cannot hold, read and written
//	formula.go  texts that a spreadsheet would take for formulas
//	foreign.go  files that are neither CSV nor XLSX
//	csv.go      rows of CSV
//	xlsx.go     a workbook, with its texts and formats
//	parts.go    which part of a workbook is which
//	rows.go     rows and cells of a workbook
//	merged.go   cells that stand over several rows or columns
//	format.go   what the format of a cell shows
//	number.go   numbers and dates by their formats
package sheet
