// The generic algorithm, correct for every rule: each slot keeps a lower bound of its value to later slots,
// and a bound that is no longer exact is made so only when it is the smallest. D. Mullner, Modern
// hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, section 3.1.
#pragma once

#include <stdexcept>

#include "../base/lines.hpp"
#include "../base/threads.hpp"
#include "../linkage/rows.hpp"

namespace chamfer {

template <Rows R>
class Generic {
   public:
    Generic(R& rows, int threads)
        : rows_(rows), threads_(threads), nearest_(length(), kNone), bound_(length(), kFar<Value>) {
        if constexpr (kFromCentres) age_ = seen_ = std::vector<Id>(rows.width());
    }

    Merges run(const Tick& tick) {
        find_all(tick);
        Merges merges;
        merges.reserve(rows_.count() - 1);
        while (rows_.count() > 1) {
            const Id a = closest(), b = nearest_[a];
            merges.push_back({rows_.point(a), rows_.point(b), static_cast<double>(bound_[a])});
            merge(b, a);
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    using Value = typename R::Value;
    static constexpr bool kFromCentres = requires(R rows, Id c, Value bound) { rows.set_bound(c, bound); };

    void find_all(const Tick& tick) {
        const Index n = rows_.width(), batch = 1 + kBatch / n;
        for (Index first = 0; first < n - 1; first += batch) {
            parallel_tasks(std::min(batch, n - 1 - first), n < kAlone ? 1 : threads_,
                           [&](Index task, int) { look_ahead(static_cast<Id>(first + task)); });
            tick(0);
        }
    }

    void look_ahead(Id c) { set(c, rows_.nearest(c, c + 1)); }

    void set(Id c, const Neighbour<Value>& found) {
        bound_[c] = found.value;
        nearest_[c] = found.slot;
        if constexpr (kFromCentres) {
            rows_.set_bound(c, found.value);
            if (found.slot != kNone) seen_[c] = age_[found.slot];
        }
    }

    // The slot with the smallest bound, that bound being exact.
    Id closest() {
        for (;;) {
            const Id c = static_cast<Id>(argmin(bound_.data(), length()));
            if (!(bound_[c] < kFar<Value>)) throw std::domain_error("distances that are not finite");
            if (known(c)) return c;
            look_ahead(c);
        }
    }

    // Whether the bound is exact.
    bool known(Id c) const { return nearest_[c] != kNone && (!kFromCentres || seen_[c] == age_[nearest_[c]]); }

    // Only values to the union, which stays in the slot `kept`, change.
    void merge(Id lost, Id kept) {
        bound_[lost] = kFar<Value>;
        if constexpr (kFromCentres)
            merge_centres(lost, kept);
        else
            merge_rows(lost, kept);
        if (rows_.compact(renamed_)) compact();
    }

    void merge_rows(Id lost, Id kept) {
        const Value *values = rows_.merge_row(lost, kept), *gone = rows_.gone();
        set(kept, kernels<Value>().relax_bounds(values, gone, kept, lost, length(), bound_.data(), nearest_.data()));
    }

    void merge_centres(Id lost, Id kept) {
        ++age_[lost], ++age_[kept];
        const auto closer = [&](Id x, Value value) {
            if (value < bound_[x]) set(x, {value, kept});
        };
        set(kept, rows_.merge_near(lost, kept, closer));
    }

    void compact() {
        for (std::size_t c = 0; c < renamed_.size(); ++c)
            if (const Id slot = renamed_[c]; slot != kNone) {
                bound_[slot] = bound_[c];
                if constexpr (kFromCentres) seen_[slot] = seen_[c], age_[slot] = age_[c];
                nearest_[slot] = nearest_[c] == kNone ? kNone : renamed_[nearest_[c]];
            }
        std::fill(bound_.begin() + rows_.width(), bound_.end(), kFar<Value>);
    }

    // Kernels take whole cache lines.
    Index length() const { return Lines<Value>::whole(rows_.width()); }

    R& rows_;
    int threads_;
    std::vector<Id> nearest_, renamed_;  // nearest_ is kNone where the bound may not be exact
    std::vector<Id> age_, seen_;         // from centres: merges of a slot, and those that its neighbour had had
    std::vector<Value> bound_;           // infinite for slots that are gone, and to the end of the last line
};

}  // namespace chamfer
