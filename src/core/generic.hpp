// The generic algorithm, correct for every rule: each slot keeps a lower bound of its distance to later
// slots, a heap finds the smallest, and a bound that is no longer exact is made so only when it comes to the
// top. D. Mullner, Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, section 3.1.
#pragma once

#include <queue>

#include "rows.hpp"

namespace chamfer {

template <Rows R>
class Generic {
 public:
    explicit Generic(R& rows)
        : rows_(rows), n_(rows.width()), gone_(n_), exact_(n_), nearest_(n_), bound_(n_) {}

    Merges run(const Tick& tick) {
        for (Id c = 0; c + 1 < n_; ++c) {
            look_ahead(c, rows_.row(c, c + 1));
            tick(0);
        }
        Merges merges;
        merges.reserve(n_ - 1);
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const Id a = closest(), b = nearest_[a];
            merges.push_back({a, b, static_cast<double>(bound_[a])});
            rows_.merge(a, b);
            gone_[a] = true;
            refresh(a, b);
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

 private:
    using Value = typename R::Value;
    struct Entry {
        Value bound;
        Id slot;
        bool operator<(const Entry& other) const {  // the standard heap keeps the largest on top
            return bound != other.bound ? bound > other.bound : slot > other.slot;
        }
    };

    void push(Id c, Value bound, Id nearest) {
        bound_[c] = bound;
        nearest_[c] = nearest;
        exact_[c] = true;
        heap_.push({bound, c});
    }

    void look_ahead(Id c, const Value* values) {
        const Index ahead = c + 1 + argmin(values + c + 1, n_ - c - 1);
        push(c, values[ahead], static_cast<Id>(ahead));
    }

    // Slot with the smallest bound, that bound being exact. Entries whose bound has changed since are
    // skipped.
    Id closest() {
        for (;;) {
            const Entry top = heap_.top();
            const bool current = !gone_[top.slot] && top.bound == bound_[top.slot];
            if (current && exact_[top.slot]) return top.slot;
            heap_.pop();
            if (current) look_ahead(top.slot, rows_.row(top.slot, top.slot + 1));
        }
    }

    // After a was merged into b (a < b): only distances to b have changed.
    void refresh(Id a, Id b) {
        const Value* values = rows_.row(b, 0);
        for (Id x = 0; x < b; ++x) {
            if (gone_[x]) continue;
            if (values[x] < bound_[x])
                push(x, values[x], b);
            else if (nearest_[x] == a || nearest_[x] == b)
                exact_[x] = false;
        }
        if (b + 1 < n_) look_ahead(b, values);
    }

    R& rows_;
    Index n_;
    std::vector<char> gone_, exact_;
    std::vector<Id> nearest_;
    std::vector<Value> bound_;
    std::priority_queue<Entry> heap_;
};

}  // namespace chamfer
