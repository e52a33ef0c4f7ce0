// All ranks use lists whose elements lie on all ranks. Each walks the elements on itself by plain
// loads.
#include "check.h"

enum { LETTERS = 256 };

static char *text; // what elements are made of
static acp_ga_t text_ga;
static uint64_t *words; // what has been copied from other ranks
static acp_ga_t words_ga;
static int me, procs;

// The n words at ga: by plain loads if they are here.
static const uint64_t *look(acp_ga_t ga, size_t n) {
  const uint64_t *here = acp_query_address(ga);
  CHECK((here != NULL) == (acp_query_rank(ga) == me));
  if (here != NULL)
    return here;
  acp_complete(acp_copy(words_ga, ga, 8 * n, ACP_HANDLE_NULL));
  return words;
}

// Walks through the memory of a list, whose elements are single letters, forwards, and
// compares both links of each.
static int holds(acp_list_t list, const char *want) {
  uint64_t head[3];
  memcpy(head, look(list.ga, 3), sizeof head);
  acp_ga_t before = list.ga, at = head[0];
  size_t n = 0;
  for (; at != list.ga; n++) {
    const uint64_t *element = look(at, 4);
    if (want[n] == 0 || element[1] != before || element[2] != 1 || *(const char *)(element + 3) != want[n])
      return 0;
    before = at;
    at = element[0];
  }
  return want[n] == 0 && head[1] == before && head[2] == n && acp_size_list(list) == n &&
         acp_empty_list(list) == (n == 0);
}

static acp_element_t letter(char c) {
  text[(unsigned char)c] = c;
  return (acp_element_t){text_ga + (unsigned char)c, 1};
}

// A list of letters on the next ranks in turn.
static acp_list_t list_of(const char *letters) {
  acp_list_t list = acp_create_list((me + 1) % procs);
  CHECK(list.ga != ACP_GA_NULL);
  for (int i = 0; letters[i] != 0; i++)
    acp_push_back_list(list, letter(letters[i]), (me + i) % procs);
  CHECK(holds(list, letters));
  return list;
}

static acp_list_it_t at(acp_list_t list, int n) { return acp_advance(list_it, acp_begin(list, list), n); }

static char letter_of(acp_element_t e) {
  CHECK(e.size == 1);
  const char *here = acp_query_address(e.ga);
  if (here == NULL) {
    acp_complete(acp_copy(words_ga, e.ga, 1, ACP_HANDLE_NULL));
    here = (const char *)words;
  }
  return *here;
}

static int by_letter(const acp_element_t a, const acp_element_t b) {
  int first = letter_of(a);
  return first - letter_of(b);
}

static int comparisons;

static int by_case(const acp_element_t a, const acp_element_t b) {
  comparisons++;
  int first = letter_of(a) | 32;
  return first - (letter_of(b) | 32);
}

static void ends(void) {
  acp_list_t l = list_of("");
  acp_list_it_t end = acp_end_list(l);
  CHECK(end.list.ga == l.ga && end.elem == l.ga && acp_begin_list(l).elem == l.ga);
  acp_pop_back_list(l);
  acp_pop_front_list(l);
  CHECK(holds(l, ""));
  acp_push_front_list(l, letter('b'), me);
  acp_push_front(list, l, letter('a'), (me + 1) % procs);
  acp_push_back(list, l, letter('c'), (me + 2) % procs);
  CHECK(holds(l, "abc"));
  acp_pop_back_list(l);
  acp_pop_front_list(l);
  CHECK(holds(l, "b"));
  acp_clear_list(l);
  CHECK(holds(l, ""));
  acp_destroy_list(l);
}

static void iterators(void) {
  acp_list_t l = list_of("abcd");
  acp_list_it_t begin = acp_begin_list(l), end = acp_end_list(l), it = begin;
  for (int i = 0; i < 4; i++) {
    acp_element_t e = acp_dereference_list_it(it);
    CHECK(e.ga == it.elem + 24 && e.size == 1 && letter_of(e) == "abcd"[i]);
    CHECK(acp_distance_list_it(begin, it) == i && acp_distance(list_it, it, begin) == (i == 0 ? 0 : 4 - i));
    CHECK(at(l, i).elem == it.elem && acp_advance_list_it(end, i - 4).elem == it.elem);
    it = acp_increment_list_it(it);
  }
  CHECK(it.elem == end.elem && acp_increment_list_it(it).elem == end.elem);
  CHECK(acp_dereference(list_it, end).ga == ACP_GA_NULL && acp_dereference_list_it(end).size == 0);
  CHECK(acp_decrement_list_it(end).elem == at(l, 3).elem && acp_decrement(list_it, begin).elem == begin.elem);
  CHECK(acp_advance_list_it(end, -9).elem == begin.elem && acp_advance_list_it(begin, 9).elem == end.elem);
  it = acp_insert_list(at(l, 2), letter('x'), me);
  CHECK(acp_query_rank(it.elem) == me && holds(l, "abxcd"));
  CHECK(acp_erase_list(it).elem == at(l, 2).elem && holds(l, "abcd"));
  CHECK(acp_insert_list(end, letter('e'), me).elem == at(l, 4).elem && holds(l, "abcde"));
  CHECK(acp_erase_range_list(at(l, 1), at(l, 3)).elem == at(l, 1).elem && holds(l, "ade"));
  acp_destroy_list(l);
}

static void ranges(void) {
  acp_list_t l = list_of("abcd"), m = list_of("xyz");
  CHECK(acp_insert_range_list(at(l, 1), at(m, 1), acp_end_list(m)).elem == at(l, 1).elem);
  CHECK(holds(l, "ayzbcd") && holds(m, "xyz"));
  CHECK(acp_insert_range_list(at(l, 1), at(m, 1), at(m, 1)).elem == at(l, 1).elem);
  acp_assign_range_list(m, at(l, 1), at(l, 4));
  CHECK(holds(m, "yzb"));
  acp_assign(list, l, m);
  CHECK(holds(l, "yzb"));
  acp_list_it_t first = acp_begin_list(m);
  acp_splice_list(at(l, 1), first);
  CHECK(at(l, 1).elem == first.elem && holds(l, "yyzb") && holds(m, "zb"));
  acp_splice(range_list, acp_end_list(m), at(l, 1), acp_end_list(l));
  CHECK(holds(l, "y") && holds(m, "zbyzb"));
  acp_swap_list(l, m);
  CHECK(holds(l, "zbyzb") && holds(m, "y"));
  acp_remove_list(l, letter('z'));
  CHECK(holds(l, "byb"));
  acp_reverse_list(m);
  acp_push_back_list(m, letter('y'), me);
  acp_unique_list(m);
  CHECK(holds(m, "y"));
  acp_clear_list(m);
  acp_swap(list, l, m);
  CHECK(holds(l, "") && holds(m, "byb"));
  acp_destroy_list(l);
  acp_destroy_list(m);
}

static void orders(void) {
  acp_list_t l = list_of("cAbCaB"), m = list_of("dbBz");
  acp_sort_list(l, by_case);
  CHECK(holds(l, "AabBcC") && comparisons > 0 && comparisons <= 15);
  acp_sort(list, m, by_case);
  CHECK(holds(m, "bBdz"));
  acp_merge_list(l, m, by_case);
  CHECK(holds(l, "AabBbBcCdz") && holds(m, ""));
  acp_merge_list(m, l, by_case);
  acp_merge(list, m, m, by_case);
  CHECK(holds(m, "AabBbBcCdz") && holds(l, ""));
  acp_sort_list(m, by_letter);
  CHECK(holds(m, "ABBCabbcdz"));
  acp_reverse_list(m);
  acp_unique_list(m);
  CHECK(holds(m, "zdcbaCBA"));
  acp_destroy_list(l);
  acp_destroy_list(m);
}

static void mistakes(void) {
  acp_list_t l = list_of("ab"), m = list_of("x");
  acp_list_it_t none = {l, ACP_GA_NULL};
  FAILS(acp_create_list(procs).ga, ACP_GA_NULL, EINVAL);
  FAILS(acp_create_list(-1).ga, ACP_GA_NULL, EINVAL);
  FAILS(acp_insert_list(at(l, 1), letter('c'), procs).elem, ACP_GA_NULL, EINVAL);
  FAILS(acp_insert_list(none, letter('c'), me).elem, ACP_GA_NULL, EINVAL);
  FAILS(acp_insert_list(at(l, 1), ((acp_element_t){text_ga, SIZE_MAX / 2}), me).elem, ACP_GA_NULL, EFAULT);
  FAILS(acp_insert_range_list(at(l, 1), at(l, 0), at(m, 0)).elem, ACP_GA_NULL, EINVAL);
  FAILS(acp_erase_list(none).elem, ACP_GA_NULL, EINVAL);
  FAILS(acp_erase_list(acp_end_list(l)).elem, ACP_GA_NULL, EINVAL);
  FAILS(acp_erase_range_list(at(l, 0), at(m, 0)).elem, at(m, 0).elem, EINVAL);
  FAILS(acp_dereference_list_it(none).ga, ACP_GA_NULL, EINVAL);
  FAILS(acp_increment_list_it(none).elem, ACP_GA_NULL, EINVAL);
  FAILS(acp_distance_list_it(at(l, 0), at(m, 0)), 0, EINVAL);
  FAILS(acp_size_list((acp_list_t){ACP_GA_NULL}), (size_t)0, EFAULT);
  FAILS((acp_sort_list(l, NULL), 0), 0, EFAULT);
  FAILS((acp_merge_list(l, m, NULL), 0), 0, EFAULT);
  FAILS((acp_assign_range_list(l, at(l, 0), at(m, 0)), 0), 0, EINVAL);
  FAILS((acp_splice_range_list(at(l, 0), at(l, 0), at(m, 0)), 0), 0, EINVAL);
  FAILS((acp_push_back_list(l, ((acp_element_t){ACP_GA_NULL, 1}), me), 0), 0, EFAULT);
  FAILS((acp_push_front_list(l, letter('c'), -1), 0), 0, EINVAL);
  CHECK(holds(l, "ab") && holds(m, "x"));
  acp_destroy_list(l);
  acp_destroy_list(m);
}

int main(int argc, char **argv) {
  FAILS(acp_create_list(0).ga, ACP_GA_NULL, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  me = acp_rank();
  procs = acp_procs();
  text_ga = acp_malloc(LETTERS, me);
  text = acp_query_address(text_ga);
  words_ga = acp_malloc(64, me);
  words = acp_query_address(words_ga);
  CHECK(text != NULL && words != NULL);
  ends();
  iterators();
  ranges();
  orders();
  mistakes();
  CHECK(acp_finalize() == 0);
  return 0;
}
