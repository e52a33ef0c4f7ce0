// Package drawing makes pictures in SVG from text. A line of the text is a command, empty, or a comment that begins with #. Lengths
// are pixels.
//
//	size W H                       of the picture; the first command
//	title TEXT                     for readers that do not see the picture
//	box X Y W H CLASS TEXT         a box with text in it; | begins another line
//	row X Y W H GAP CLASS A | B    boxes side by side, each of size W H
//	text X Y ALIGN TEXT            text that starts at X, or ends there, or has its middle there: ALIGN is left, right or middle
//	line CLASS X1 Y1 X2 Y2 …       a line through points
//	arrow CLASS X1 Y1 X2 Y2 …      the same with a head at its end
//
// The classes of boxes are those of colours: a, b, c, d; plain, which has none; frame, whose text stands at its top; and head, which has
// no border. The classes of lines are solid, strong and dashed. Text between ` and ` is code, * before text makes it bold, and ~ makes it small.
//
// The colours follow the scheme of the reader, light or dark: Style is that of a picture by itself, and SiteStyle that of pictures in pages
// of the site.
package drawing
