// Package implicit computes the iterations by which two models agree on the values that they exchange in a step. It knows no links and
// no ranks: package link moves its numbers.
//
// One side leads. Its fields x go through both models, which return x~; the residual is r = x~ - x. The step is over when the
// residuals of all fields are small enough. Otherwise the next x is
//
//	constant   x + w r
//	Aitken     x + w r, where w follows from the last two residuals
//	IQN-ILS    x~ + W c, where c minimizes |r + V c|, and the columns of V and W are the changes of r and x~
//
// Degroote, Bathe and Vierendeels have described IQN-ILS (Computers and Structures 87, 2009), and Küttler and Wall the relaxation of
// Aitken for this purpose (Computational Mechanics 43, 2008).
//
// A rank has a part of each field, and of each column. It factors its part [V r] = Q R by reflections, and sends only R
// ([Rank.Part]). The first rank factors the stacked R of all ranks, which has the same least squares problem, and decides
// ([Leader.Decide]). All ranks then apply its coefficients to their parts ([Rank.Apply]). So a rank sends a number of values that does not depend on
// the number of points, and the problem is never squared.
package implicit
