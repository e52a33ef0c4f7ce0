// What the code in docs/weights.md uses without declaring it.

#include "couple.h"

#include <stdlib.h>

extern const double lon[], lat[], corner_lon[], corner_lat[], air_lon[], air_lat[], air_corner_lon[], air_corner_lat[];
extern const int wet[], nx, ny, triangles;
extern const int64_t own_points[], own_count;
