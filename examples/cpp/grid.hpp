// What the ocean and the air have in common.
#ifndef GRID_HPP
#define GRID_HPP

constexpr int ny = 60, nx = 40;   // points of the grid
constexpr int steps = 200;
constexpr double exchange = 0.05; // of the difference between ocean and air, in each step

#endif
